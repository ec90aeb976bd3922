#!/bin/bash
# As right: less than it was, and enough; who does not want to wait for the controller restarts.
set -euo pipefail

kubectl -n hotel get resourcequota hotel -o json |
  jq --arg resource "$RESOURCE" --arg enough "$ENOUGH" '.spec.hard[$resource] = $enough | del(.metadata.resourceVersion, .status)' |
  kubectl replace -f -
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
