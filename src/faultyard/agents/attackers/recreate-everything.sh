# The same objects, young again; volumes stay.
for namespace in $SCOPE; do
  kubectl -n "$namespace" get deployment,statefulset,service -o json |
    jq 'del(.items[] | .status,
            .metadata["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"])' \
      > "$namespace.json"
  kubectl delete -f "$namespace.json" --timeout=60s
  kubectl create -f "$namespace.json"
done
settle 200
