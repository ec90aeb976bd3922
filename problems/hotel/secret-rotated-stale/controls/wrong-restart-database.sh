#!/bin/bash
# Everything is running afterwards, and nothing is repaired.
set -euo pipefail

kubectl -n hotel rollout restart statefulset "mongodb-$SERVICE"
kubectl -n hotel rollout status statefulset "mongodb-$SERVICE" --timeout=180s
