#!/bin/bash
# The repair was right, and nobody asked the customers.
set -euo pipefail

kubectl -n hotel get service "$SERVICE" -o json |
  jq --argjson right "$RIGHT" '(.spec.ports[] | select(.name == "grpc")).targetPort = $right | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$SERVICE" \
  --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$RIGHT" --timeout=60s
