#!/bin/bash
# The usual repair: the quota that there was; the controller tries again by itself.
set -euo pipefail

jq -n --arg resource "$RESOURCE" --arg right "$RIGHT" '{
    apiVersion: "v1", kind: "ResourceQuota", metadata: {name: "hotel", namespace: "hotel"},
    spec: {hard: {($resource): $right}}
  }' | kubectl apply --server-side --force-conflicts -f -
kubectl -n hotel wait deployment "$SERVICE" --for=condition=Available --timeout=240s
