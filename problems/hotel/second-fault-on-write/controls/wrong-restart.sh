#!/bin/bash
# Everything is running afterwards, and nothing is repaired.
set -euo pipefail

kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s

kubectl -n hotel rollout restart deployment
for deployment in $(kubectl -n hotel get deployment -o name); do
  kubectl -n hotel rollout status "$deployment" --timeout=180s
done
