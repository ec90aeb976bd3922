#!/bin/bash
# As right: the same time in other words, and no roll-out but new pods.
set -euo pipefail

kubectl -n hotel get configmap hotel-common -o json |
  jq '.data.REQUEST_DEADLINE = "1.6s" | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel delete pods -l "app.kubernetes.io/name=$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
