#!/bin/bash
# Everything is at the end as it was; meanwhile no customer was served.
set -euo pipefail

# The newest release looks guilty: customers get the one before, as soon as somebody rolls that out.
kubectl -n hotel patch service frontend --type=merge \
  -p '{"spec": {"selector": {"app.kubernetes.io/version": "2.3.2"}}}'
kubectl -n hotel wait deployment frontend --timeout=60s \
  --for=jsonpath='{.spec.template.metadata.labels.app\.kubernetes\.io/version}'=2.3.2 || true

kubectl -n hotel patch service frontend --type=json \
  -p '[{"op": "remove", "path": "/spec/selector/app.kubernetes.io~1version"}]'
kubectl -n hotel wait endpointslices -l kubernetes.io/service-name=frontend --timeout=60s \
  --for=jsonpath='{.endpoints[0].conditions.ready}'=true
