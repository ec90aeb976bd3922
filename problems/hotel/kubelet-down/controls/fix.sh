#!/bin/bash
# The usual repair.
set -euo pipefail

ssh "$NODE" sudo systemctl start kubelet
kubectl wait node "$NODE" --for=condition=Ready --timeout=60s
kubectl -n hotel wait pods --field-selector "spec.nodeName=$NODE,status.phase=Running" --for=condition=Ready --timeout=90s
