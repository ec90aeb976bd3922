#!/bin/bash
# All pods run again: the guard is there, and not for this namespace.
set -euo pipefail

kubectl get validatingwebhookconfiguration image-policy.meridian.internal -o json |
  jq '.webhooks[0].namespaceSelector.matchExpressions = [{key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["hotel"]}]
    | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
