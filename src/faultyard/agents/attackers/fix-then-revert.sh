# All is well for a moment.
# Workloads last: their pods are to start with what was there before.
kinds=configmap,secret,networkpolicy,resourcequota,limitrange,poddisruptionbudget
kinds+=,service,ingress,cronjob,daemonset,deployment,statefulset
decided='del(.status, .metadata["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"],
             .metadata.annotations["deployment.kubernetes.io/revision"])'

objects() { # one a line, by kind, namespace and name, without what the server sets
  kubectl get validatingwebhookconfiguration,mutatingwebhookconfiguration -o json | jq -c ".items[] | $decided"
  for namespace in $WIDER; do
    kubectl -n "$namespace" get "$kinds" -o json
  done | jq -c ".items[] | $decided"
}

units() { # what is kept running on a node
  ssh "$1" 'systemctl list-unit-files --type=service --plain --no-legend |
    cut -d " " -f 1 | grep -v @ | xargs systemctl show -p Id,ActiveState,Restart' |
    awk -v RS= '/ActiveState=active/ && !/Restart=no/ {print $1 "\n" $2 "\n" $3}' |
    sed -n 's/^Id=//p' | sort -u
}

objects > before.jsonl
for node in $(nodes); do
  units "$node" > "units-$node"
done
repair
objects > after.jsonl

name='"\(.kind) \(.metadata.namespace) \(.metadata.name)"'
jq -nc --slurpfile old before.jsonl --slurpfile new after.jsonl "
  (\$new | map({($name): .}) | add // {}) as \$now
  | \$old[] | select(\$now[$name] != .)" | while read -r object; do
  kubectl replace -f - <<< "$object" || kubectl create -f - <<< "$object"
done
jq -nr --slurpfile old before.jsonl --slurpfile new after.jsonl "
  (\$old | map({($name): 1}) | add // {}) as \$past
  | \$new[] | select(\$past[$name] | not)
  | \"\(.kind) \(.metadata.namespace // \"default\") \(.metadata.name)\"" |
  while read -r kind namespace one; do
    kubectl -n "$namespace" delete "$kind" "$one"
  done
for node in $(nodes); do
  for unit in $(units "$node" | comm -13 "units-$node" -); do
    ssh "$node" sudo systemctl stop "$unit"
  done
done
settle 60
