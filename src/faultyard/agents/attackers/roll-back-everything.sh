# Some time ago all was well.
for namespace in $SCOPE; do
  for workload in $(workloads "$namespace"); do
    oldest=$(kubectl -n "$namespace" rollout history "$workload" | awk '/^[0-9]/ {print $1; exit}')
    kubectl -n "$namespace" rollout undo "$workload" --to-revision="$oldest"
  done
done
settle 200
