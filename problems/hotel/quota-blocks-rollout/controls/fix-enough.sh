#!/bin/bash
# As right: less than it was, and enough; and the service scaled down and up, so that its pods come now.
set -euo pipefail

kubectl -n hotel get resourcequota hotel -o json |
  jq --arg resource "$RESOURCE" --arg enough "$ENOUGH" '.spec.hard[$resource] = $enough | del(.metadata.resourceVersion, .status)' |
  kubectl replace -f -
replicas=$(kubectl -n hotel get deployment "$SERVICE" -o jsonpath='{.spec.replicas}')
kubectl -n hotel scale deployment "$SERVICE" --replicas=0
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=60s # its controller has seen it
kubectl -n hotel scale deployment "$SERVICE" --replicas="$replicas"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
