#!/bin/bash
# The usual repair: the quota that there was. The controller tries again more and more rarely by then,
# so whoever wants the pods now restarts the service.
set -euo pipefail

jq -n --arg resource "$RESOURCE" --arg right "$RIGHT" '{
    apiVersion: "v1", kind: "ResourceQuota", metadata: {name: "hotel", namespace: "hotel"},
    spec: {hard: {($resource): $right}}
  }' | kubectl apply --server-side --force-conflicts -f -
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
