#!/bin/bash
# The services start on the other node; the databases cannot leave their volumes.
set -euo pipefail

kubectl -n hotel delete pods --field-selector "spec.nodeName=$NODE" --force --grace-period=0
for deployment in $(kubectl -n hotel get deployment -o name); do
  kubectl -n hotel rollout status "$deployment" --timeout=120s
done
