#!/bin/bash
# Nothing is broken before, nothing is broken afterwards, and everything was put at risk.
set -euo pipefail

kubectl -n hotel rollout restart deployment
for deployment in $(kubectl -n hotel get deployment -o name); do
  kubectl -n hotel rollout status "$deployment" --timeout=240s
done
