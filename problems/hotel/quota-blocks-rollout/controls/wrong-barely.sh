#!/bin/bash
# All pods run again, and there is room for a crumb; no further pod of the shop's own gets in, so that the next
# roll-out hangs, nothing scales up, and the nightly report does not start.
set -euo pipefail

numbers='def number:
  if endswith("m") then (.[:-1] | tonumber) / 1000
  elif endswith("Ki") then (.[:-2] | tonumber) * 1024
  elif endswith("Mi") then (.[:-2] | tonumber) * 1048576
  elif endswith("Gi") then (.[:-2] | tonumber) * 1073741824
  else tonumber end;'
asked=$(kubectl -n hotel get deployment "$SERVICE" -o json | jq -r --arg name "${RESOURCE#requests.}" "$numbers"'
  .spec.replicas * ([.spec.template.spec.containers[].resources.requests[$name] | number] | add)')
barely=$(kubectl -n hotel get resourcequota hotel -o json |
  jq -r --arg resource "$RESOURCE" --argjson asked "$asked" "$numbers"'
    ((.status.used[$resource] | number) + $asked)
    | if $resource == "requests.cpu" then "\((. * 1000 | round) + 2)m" else "\((. / 1048576 | ceil) + 2)Mi" end')

kubectl -n hotel patch resourcequota hotel --type=merge -p "{\"spec\": {\"hard\": {\"$RESOURCE\": \"$barely\"}}}"
kubectl -n hotel wait resourcequota hotel --for=jsonpath="{.status.hard.${RESOURCE//./\\.}}"="$barely" --timeout=30s || true
# Scaled down and up, so that its pods come now: restarted, they would not get in.
replicas=$(kubectl -n hotel get deployment "$SERVICE" -o jsonpath='{.spec.replicas}')
kubectl -n hotel scale deployment "$SERVICE" --replicas=0
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=60s # its controller has seen it
kubectl -n hotel scale deployment "$SERVICE" --replicas="$replicas"
kubectl -n hotel rollout status deployment "$SERVICE" --timeout=180s
