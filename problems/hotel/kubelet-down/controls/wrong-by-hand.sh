#!/bin/bash
# The node is ready as long as the process lives, and nothing looks after it.
set -euo pipefail

ssh "$NODE" 'command=$(systemctl cat kubelet | sed -n "s/^ExecStart=//p"); sudo nohup setsid $command > /dev/null 2>&1 < /dev/null & disown'
kubectl wait node "$NODE" --for=condition=Ready --timeout=60s
kubectl -n hotel wait pods --field-selector "spec.nodeName=$NODE,status.phase=Running" --for=condition=Ready --timeout=90s
