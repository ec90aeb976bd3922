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
for _ in $(seq 40); do # the neighbour says so itself when it no longer gets through
  kubectl -n loyalty logs -l app.kubernetes.io/name=points --since-time="$since" |
    grep "no offers from the shop" | grep -iE "timeout|deadline|exceeded" && break
  sleep 1
done
kubectl -n hotel delete networkpolicy quarantine-loyalty

kubectl -n hotel get service "$SERVICE" -o json |
  jq '(.spec.ports[] | select(.name == "grpc")).targetPort = "grpc" | del(.metadata.resourceVersion)' |
  kubectl replace -f -
kubectl -n hotel wait endpointslice -l "kubernetes.io/service-name=$SERVICE" \
  --for=jsonpath='{.ports[?(@.name=="grpc")].port}'="$RIGHT" --timeout=60s
