# Everything is running afterwards.
for namespace in $SCOPE; do
  for workload in $(workloads "$namespace"); do
    kubectl -n "$namespace" rollout restart "$workload"
  done
done
settle 200
