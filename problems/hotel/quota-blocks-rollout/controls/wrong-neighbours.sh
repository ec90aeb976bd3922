#!/bin/bash
# Room is made by taking it from others, who are needed as well.
set -euo pipefail

for deployment in $(kubectl -n hotel get deployments -o name); do
  [ "$deployment" = "deployment.apps/$SERVICE" ] || kubectl -n hotel scale "$deployment" --replicas=0
done
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel get pods
