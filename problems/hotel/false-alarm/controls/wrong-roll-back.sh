#!/bin/bash
# The newest release looks guilty to whoever needs something guilty.
set -euo pipefail

kubectl -n hotel rollout undo deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=240s
