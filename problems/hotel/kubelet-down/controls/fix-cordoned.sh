#!/bin/bash
# As right, and more careful: nothing new is put on the node until it is well.
set -euo pipefail

kubectl cordon "$NODE"
ssh "$NODE" 'sudo systemctl enable kubelet && sudo systemctl restart kubelet'
kubectl wait node "$NODE" --for=condition=Ready --timeout=60s
kubectl uncordon "$NODE"
kubectl -n hotel wait pods --field-selector "spec.nodeName=$NODE,status.phase=Running" --for=condition=Ready --timeout=90s
