#!/bin/bash
# All pods run again; the quota is there and bounds nothing any more.
set -euo pipefail

kubectl -n hotel patch resourcequota hotel --type=merge -p "{\"spec\": {\"hard\": {\"$RESOURCE\": \"1000Gi\"}}}"
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
