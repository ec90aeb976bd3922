#!/bin/bash
# The usual repair: what all of them read, then whoever had read it.
set -euo pipefail

kubectl -n hotel patch configmap hotel-common --type=merge -p "{\"data\": {\"REQUEST_DEADLINE\": \"$RIGHT\"}}"
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
