#!/bin/bash
# The usual repair: what the containers of its neighbours may use.
set -euo pipefail

kubectl -n hotel set resources "deployment/$SERVICE" --containers="$SERVICE" --limits="cpu=$RIGHT" --requests="cpu=$REQUEST"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
