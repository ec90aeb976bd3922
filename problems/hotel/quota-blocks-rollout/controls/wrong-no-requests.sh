#!/bin/bash
# The service is back, with nothing set aside for it; the next one that loses a pod stays away.
set -euo pipefail

kubectl -n hotel set resources "deployment/$SERVICE" --containers="$SERVICE" --requests="${RESOURCE#requests.}=0"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
