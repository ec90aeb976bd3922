#!/bin/bash
# These programs have a default; that others read the key, and what they do without, nobody asked.
set -euo pipefail

kubectl -n hotel patch configmap hotel-common --type=json -p '[{"op": "remove", "path": "/data/REQUEST_DEADLINE"}]'
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
