#!/bin/bash
# Users are served again, and a program on the edge of the network now holds the key to everything.
set -euo pipefail

container=$(kubectl -n hotel get job "mongodb-$SERVICE-init" -o json | jq '.spec.template.spec.containers[0]')
kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --argjson init "$container" '.spec.template.spec.initContainers = [$init] | del(.metadata.resourceVersion)' |
  kubectl replace -f -

kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
