#!/bin/bash
# As right, in another spelling: a source of its own for each pod that may get in.
set -euo pipefail

kubectl -n hotel get networkpolicy "$STORE" -o json |
  jq --argjson port "$PORT" '
    (.spec.ingress[] | select(.from and any(.ports[]; .port == $port)).from) as $old
    | [$old[].podSelector.matchExpressions[]? | select(.key == "app.kubernetes.io/name").values[]] as $names
    | .spec.ingress = [
        ($names[] | {from: [{podSelector: {matchLabels: {"app.kubernetes.io/name": .}}}], ports: [{port: $port, protocol: "TCP"}]}),
        {from: [$old[] | select(.ipBlock)], ports: [{port: $port, protocol: "TCP"}]},
        (.spec.ingress[] | select(.from | not))
      ]
    | del(.metadata.resourceVersion)' |
  kubectl replace -f -
