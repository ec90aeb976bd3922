#!/bin/bash
# Right in the end; but while a part of the guard is away, nothing is guarded, or nothing can start.
set -euo pipefail

configuration=image-policy.meridian.internal
clean='del(.metadata.resourceVersion, .metadata.uid, .metadata.creationTimestamp, .metadata.managedFields, .status)'
case "$HOW" in
  port) kubectl -n platform get service image-policy -o json | jq ".spec.ports[0].targetPort = 8443 | $clean" ;;
  selector) kubectl -n platform get service image-policy -o json |
    jq ".spec.selector[\"app.kubernetes.io/name\"] = \"image-policy\" | $clean" ;;
  authority)
    shown=$(kubectl -n platform get secret image-policy-tls -o json | jq -r '.data["tls.crt"]')
    kubectl get validatingwebhookconfiguration "$configuration" -o json |
      jq --arg shown "$shown" ".webhooks[0].clientConfig.caBundle = \$shown | $clean"
    ;;
esac | kubectl replace --force -f -
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
