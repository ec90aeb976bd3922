#!/bin/bash
# Repairs the first rightly, and bends a healthy workload to the second Service's wrong port.
set -euo pipefail

kubectl -n hotel get service "$SERVICE" -o json |
  jq --argjson right "$RIGHT" '(.spec.ports[] | select(.name == "grpc")).targetPort = $right | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel wait service "$SECOND" --for=jsonpath='{.spec.ports[?(@.name=="grpc")].targetPort}'="$SECOND_PORT" --timeout=120s

kubectl -n hotel get deployment "$SECOND" -o json |
  jq --arg name "$SECOND" --argjson port "$SECOND_PORT" '
    (.spec.template.spec.containers[] | select(.name == $name)) |= (
      (.ports[] | select(.name == "grpc").containerPort) as $old
      | (.ports[] | select(.name == "grpc").containerPort) = $port
      | .env = [(.env // [])[] | select(.name != "LISTEN_ADDRESS")] + [{name: "LISTEN_ADDRESS", value: ":\($port)"}]
      | with_entries(
          if .key | endswith("Probe")
          then .value |= walk(if type == "object" and .port == $old then .port = $port else . end)
          else . end))
    | del(.metadata.resourceVersion)' |
  kubectl replace -f -

kubectl -n hotel rollout status deployment "$SECOND" --timeout=180s
