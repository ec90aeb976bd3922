#!/bin/bash
# One caller is served again until the pod gets another address; the Service stays broken.
set -euo pipefail

selector=$(kubectl -n hotel get service "$SERVICE" -o json |
  jq -r '.spec.selector | to_entries | map("\(.key)=\(.value)") | join(",")')
address=$(kubectl -n hotel get pods -l "$selector" -o json |
  jq -r 'first(.items[] | select(any(.status.conditions[]; .type == "Ready" and .status == "True"))).status.podIP')
listens=$(kubectl -n hotel get deployment "$SERVICE" -o json |
  jq --arg name "$SERVICE" '.spec.template.spec.containers[] | select(.name == $name).ports[] | select(.name == "grpc").containerPort')

kubectl -n hotel set env "deployment/$CALLER" "${SERVICE^^}_ADDRESS=$address:$listens"
kubectl -n hotel rollout status deployment "$CALLER" --timeout=180s
