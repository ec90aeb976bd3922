#!/bin/bash
# Looks at what the alert speaks of and finds nothing; the answer is that nothing is broken.
set -euo pipefail

firing=$(call-tool alerts '{}')
pods=$(kubectl -n hotel get pods --field-selector=status.phase!=Running,status.phase!=Succeeded -o name)
kubectl -n hotel get deployments,statefulsets
echo "$firing"

report-cause --mechanism no_fault --impact none \
  --evidence "every pod of hotel runs${pods:+, but $pods}" \
  --evidence "no request at the entrance fails or is slow, now or in the last minutes"
resolve "Nothing is broken: the alert was false. Nothing was changed."
