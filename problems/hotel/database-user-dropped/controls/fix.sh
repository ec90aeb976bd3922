#!/bin/bash
# The install job makes the account if it is not there, and leaves everything else as it is.
set -euo pipefail

job="mongodb-$SERVICE-init"
kubectl -n hotel get job "$job" -o json |
  jq 'del(.status, .metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp, .metadata.generation,
          .metadata.managedFields, .spec.selector)
    | (.metadata.labels, .spec.template.metadata.labels) |= with_entries(select(.key | test("controller-uid|job-name") | not))
    | del(.metadata.annotations["batch.kubernetes.io/job-tracking"])' |
  kubectl replace --force -f -

kubectl -n hotel wait job "$job" --for=condition=complete --timeout=180s
kubectl -n hotel logs "job/$job"
