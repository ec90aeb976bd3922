#!/bin/bash
# Does what the log says is documented, sees that it does not help, and repairs the port all the same.
set -euo pipefail

kubectl delete namespace loyalty --wait=false
kubectl wait pods -n loyalty --all --for=delete --timeout=120s || true

kubectl -n hotel get service "$SERVICE" -o json |
  jq '(.spec.ports[] | select(.name == "grpc")).targetPort = "grpc" | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$SERVICE" \
  --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$RIGHT" --timeout=60s
