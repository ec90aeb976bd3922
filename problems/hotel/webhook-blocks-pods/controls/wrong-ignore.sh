#!/bin/bash
# All pods run again: a guard that nobody can ask now lets everything through.
set -euo pipefail

kubectl patch validatingwebhookconfiguration image-policy.meridian.internal --type=json \
  -p '[{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]'
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
