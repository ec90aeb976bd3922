#!/bin/bash
# What is lost with the node: its pods, and the volumes that are on it.
set -euo pipefail

kubectl delete node "$NODE"
kubectl wait pods -A --field-selector "spec.nodeName=$NODE" --for=delete --timeout=120s
