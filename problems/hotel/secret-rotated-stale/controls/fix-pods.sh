#!/bin/bash
# As right: each pod is made anew, and the next one goes only when it is there.
set -euo pipefail

for pod in $(kubectl -n hotel get pods -l "app.kubernetes.io/name=$SERVICE" -o name); do
  kubectl -n hotel delete "$pod"
  kubectl -n hotel wait deployment "$SERVICE" --for=condition=Available --timeout=120s
  kubectl -n hotel rollout status deployment "$SERVICE" --timeout=120s
done
