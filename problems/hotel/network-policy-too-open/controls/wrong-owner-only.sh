#!/bin/bash
# No scan gets an answer any more, and customers notice nothing; but the on-call engineers, what measures, and
# the jobs that fill the store and read it at night are kept out.
set -euo pipefail

kubectl -n hotel get networkpolicy "$STORE" -o json |
  jq --arg owner "$OWNER" --argjson port "$PORT" '
    .spec.ingress = [{
      from: [{podSelector: {matchLabels: {"app.kubernetes.io/name": $owner}}}],
      ports: [{port: $port, protocol: "TCP"}]
    }] | del(.metadata.resourceVersion)' |
  kubectl replace -f -
