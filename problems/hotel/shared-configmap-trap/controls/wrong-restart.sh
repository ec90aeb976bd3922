#!/bin/bash
# Every pod is running afterwards, and every service has the value that only one had.
set -euo pipefail

kubectl -n hotel rollout restart deployment
for deployment in $(kubectl -n hotel get deployment -o name); do
  kubectl -n hotel rollout status "$deployment" --timeout=180s
done
