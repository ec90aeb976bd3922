#!/bin/bash
# The usual repair, by what it is: the guard listens on `https`, its pods have its name, and the
# certificate that it shows lies in its Secret.
set -euo pipefail

configuration=image-policy.meridian.internal
case "$HOW" in
  port)
    listens=$(kubectl -n platform get deployment image-policy -o json |
      jq '.spec.template.spec.containers[0].ports[] | select(.name == "https").containerPort')
    kubectl -n platform patch service image-policy --type=json \
      -p "[{\"op\": \"replace\", \"path\": \"/spec/ports/0/targetPort\", \"value\": $listens}]"
    ;;
  selector)
    kubectl -n platform patch service image-policy --type=merge \
      -p '{"spec": {"selector": {"app.kubernetes.io/name": "image-policy"}}}'
    ;;
  authority)
    shown=$(kubectl -n platform get secret image-policy-tls -o json | jq -r '.data["tls.crt"]')
    kubectl patch validatingwebhookconfiguration "$configuration" --type=json \
      -p "[{\"op\": \"replace\", \"path\": \"/webhooks/0/clientConfig/caBundle\", \"value\": \"$shown\"}]"
    ;;
esac
# Controllers try again by themselves, but more and more rarely.
kubectl -n hotel rollout restart deployment "$SERVICE"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
