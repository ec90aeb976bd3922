#!/bin/bash
# As right as the numbers: the container ports' name.
set -euo pipefail

repair() { # SERVICE LISTENS
  kubectl -n hotel get service "$1" -o json |
    jq '(.spec.ports[] | select(.name == "grpc")).targetPort = "grpc" | del(.metadata.resourceVersion)' |
    kubectl replace -f -
  kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$1" \
    --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$2" --timeout=60s
}

repair "$SERVICE" "$RIGHT"
kubectl -n hotel wait service "$SECOND" --for=jsonpath='{.spec.ports[?(@.name=="grpc")].targetPort}'="$SECOND_PORT" --timeout=120s
repair "$SECOND" "$SECOND_RIGHT"
