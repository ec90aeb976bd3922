#!/bin/bash
# Users are served again; the next renewal will not reach the service, and the password lies in the open.
set -euo pipefail

password=$(kubectl -n hotel get secret "$SERVICE-database" -o json | jq -r '.data.password | @base64d')
kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --arg password "$password" '
    (.spec.template.spec.containers[].env[]? | select(.name == "DATABASE_PASSWORD")) = {name: "DATABASE_PASSWORD", value: $password}
    | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
