#!/bin/bash
# More of what is throttled: each replica still gets too little for its probes and its start.
set -euo pipefail

replicas=$(kubectl -n hotel get deployment "$SERVICE" -o jsonpath='{.spec.replicas}')
kubectl -n hotel scale deployment "$SERVICE" --replicas=$((replicas + 3))
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
