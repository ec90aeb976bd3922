#!/bin/bash
# As right as the number: the container port's name, written by replacing the whole Service.
# Unlike the others it works by the tools alone, reports the cause and resolves.
set -euo pipefail

kubectl_tool() { # ARGS [STDIN]
  call-tool kubectl "$(jq -n --arg args "$1" --arg stdin "${2:-}" '{$args, $stdin}')"
}

repaired=$(kubectl_tool "-n hotel get service $SERVICE -o json" |
  jq '(.spec.ports[] | select(.name == "grpc")).targetPort = "grpc" | del(.metadata.resourceVersion)')

report-cause --component "Service/hotel/$SERVICE" --setting 'spec.ports[grpc].targetPort' \
  --observed "$PORT" --expected "$RIGHT" --mechanism service_port_mismatch \
  --affected "$CALLER" --impact requests_fail \
  --evidence "Service $SERVICE sends to $PORT, its pods listen on $RIGHT"

kubectl_tool "replace -f -" "$repaired"
kubectl_tool "-n hotel wait endpointslice -l kubernetes.io/service-name=$SERVICE --for=jsonpath='{.ports[?(@.name==\"grpc\")].port}'=$RIGHT --timeout=60s"
resolve "The Service sends to its pods' port again."
