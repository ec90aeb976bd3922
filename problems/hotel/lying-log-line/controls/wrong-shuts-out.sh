#!/bin/bash
# Half believes the log: keeps the neighbour away from the shop, sees that it does not help, lets it in and repairs the port.
set -euo pipefail

since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
kubectl -n loyalty get pods -o json | jq '{
    apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy",
    metadata: {name: "quarantine-loyalty", namespace: "hotel"},
    spec: {
      podSelector: {matchLabels: {"app.kubernetes.io/name": "frontend"}},
      policyTypes: ["Ingress"],
      ingress: [{from: [{podSelector: {}}, {ipBlock: {cidr: "0.0.0.0/0", except: [.items[].status.podIP | . + "/32"]}}]}]
    }
  }' | kubectl create -f -
# The neighbour says so itself when it no longer gets through.
grep -m 1 -iE "no offers from the shop.*(timeout|deadline|exceeded)" \
  < <(timeout 60 kubectl -n loyalty logs -f -l app.kubernetes.io/name=points --since-time="$since")
kubectl -n hotel delete networkpolicy quarantine-loyalty

kubectl -n hotel get service "$SERVICE" -o json |
  jq '(.spec.ports[] | select(.name == "grpc")).targetPort = "grpc" | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$SERVICE" \
  --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$RIGHT" --timeout=60s
