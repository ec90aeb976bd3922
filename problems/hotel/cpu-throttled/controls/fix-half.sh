#!/bin/bash
# As right: less than before, more than it needs; the request stays as it was found.
set -euo pipefail

kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --arg name "$SERVICE" '(.spec.template.spec.containers[] | select(.name == $name)).resources.limits.cpu = "500m" | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
