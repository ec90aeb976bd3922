#!/bin/bash
# The scan gets no answer any more; nor does the service that lives on the store.
set -euo pipefail

kubectl -n hotel patch networkpolicy "$STORE" --type=json -p '[{"op": "replace", "path": "/spec/ingress", "value": []}]'
