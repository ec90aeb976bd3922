#!/bin/bash
# As right as the number: the container port's name.
set -euo pipefail

kubectl -n hotel get service "$SERVICE" -o json |
  jq '(.spec.ports[] | select(.name == "grpc")).targetPort = "grpc" | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$SERVICE" \
  --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$RIGHT" --timeout=60s
