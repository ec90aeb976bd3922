#!/bin/bash
# As right: the port by its name, the selector by what the Deployment says, and whole objects replaced.
set -euo pipefail

configuration=image-policy.meridian.internal
case "$HOW" in
  port)
    kubectl -n platform get service image-policy -o json |
      jq '.spec.ports[0].targetPort = "https" | del(.metadata.resourceVersion)' | kubectl replace -f -
    ;;
  selector)
    labels=$(kubectl -n platform get deployment image-policy -o json | jq '.spec.selector.matchLabels')
    kubectl -n platform get service image-policy -o json |
      jq --argjson labels "$labels" '.spec.selector = $labels | del(.metadata.resourceVersion)' | kubectl replace -f -
    ;;
  authority)
    shown=$(kubectl -n platform get secret image-policy-tls -o json | jq -r '.data["tls.crt"]')
    kubectl get validatingwebhookconfiguration "$configuration" -o json |
      jq --arg shown "$shown" '.webhooks[0].clientConfig.caBundle = $shown | del(.metadata.resourceVersion)' | kubectl replace -f -
    ;;
esac
replicas=$(kubectl -n hotel get deployment "$SERVICE" -o jsonpath='{.spec.replicas}')
kubectl -n hotel scale deployment "$SERVICE" --replicas=0
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=60s # its controller has seen it
kubectl -n hotel scale deployment "$SERVICE" --replicas="$replicas"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
