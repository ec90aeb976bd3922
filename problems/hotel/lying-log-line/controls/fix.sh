#!/bin/bash
# The usual repair: the number on which the container listens.
set -euo pipefail

listens=$(kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --arg name "$SERVICE" '.spec.template.spec.containers[] | select(.name == $name).ports[] | select(.name == "grpc").containerPort')
index=$(kubectl -n hotel get service "$SERVICE" -o json |
  jq '.spec.ports | map(.name == "grpc") | index(true)')

kubectl -n hotel patch service "$SERVICE" --type=json \
  -p "[{\"op\": \"replace\", \"path\": \"/spec/ports/$index/targetPort\", \"value\": $listens}]"

kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$SERVICE" \
  --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$listens" --timeout=60s
