#!/bin/bash
# The usual repair: programs read the Secret when they start.
set -euo pipefail

kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
