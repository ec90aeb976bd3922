#!/bin/bash
# All pods are Running, as they were.
set -euo pipefail

kubectl cordon "$NODE"
kubectl -n hotel get pods -o wide
