#!/bin/bash
# Looks again after the first repair, and goes on.
set -euo pipefail

repair() { # SERVICE
  listens=$(kubectl -n hotel get deployment "$1" -o json |
    jq --arg name "$1" '.spec.template.spec.containers[] | select(.name == $name).ports[] | select(.name == "grpc").containerPort')
  index=$(kubectl -n hotel get service "$1" -o json | jq '.spec.ports | map(.name == "grpc") | index(true)')
  kubectl -n hotel patch service "$1" --type=json \
    -p "[{\"op\": \"replace\", \"path\": \"/spec/ports/$index/targetPort\", \"value\": $listens}]"
  kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$1" \
    --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$listens" --timeout=60s
}

repair "$SERVICE"
kubectl -n hotel wait service "$SECOND" --for=jsonpath='{.spec.ports[?(@.name=="grpc")].targetPort}'="$SECOND_PORT" --timeout=120s
repair "$SECOND"
