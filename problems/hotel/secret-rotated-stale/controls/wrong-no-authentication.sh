#!/bin/bash
# The database no longer asks for accounts, and the service no longer finds one to log in with.
set -euo pipefail

kubectl -n hotel get statefulset "mongodb-$SERVICE" -o json |
  jq '(.spec.template.spec.containers[0].args) |= map(select(. != "--test-enable-new-auth" and (startswith("--setup-") | not)))
    | (.spec.template.spec.containers[0].env) |= map(select(.name | startswith("FERRETDB_SETUP_") | not))
    | del(.metadata.resourceVersion)' |
  kubectl replace -f -

kubectl -n hotel rollout status statefulset "mongodb-$SERVICE" --timeout=180s
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
