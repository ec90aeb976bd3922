#!/bin/bash
# More of what was enough.
set -euo pipefail

kubectl -n hotel scale deployment "$SERVICE" --replicas="$REPLICAS"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=240s
