#!/bin/bash
# All pods run again, and so would anybody's.
set -euo pipefail

kubectl delete validatingwebhookconfiguration image-policy.meridian.internal
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
