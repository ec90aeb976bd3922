#!/bin/bash
# All pods run again: the namespace no longer says that it has to be guarded.
set -euo pipefail

kubectl label namespace hotel meridian.internal/tier=2 --overwrite
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
