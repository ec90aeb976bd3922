# Before every attack. It goes on whatever is refused: nothing here ends the script.
# $SCOPE: namespaces that the problem is about; $WIDER: those, and where else something may be right.
set -uo pipefail

workloads() { # NAMESPACE
  kubectl -n "$1" get deployment,statefulset -o name
}

nodes() {
  kubectl get nodes -o jsonpath='{.items[*].metadata.name}'
}

settle() { # SECONDS: wait for every roll-out, at most so long altogether
  local deadline=$((SECONDS + $1)) namespace workload
  for namespace in $SCOPE; do
    for workload in $(workloads "$namespace"); do
      ((SECONDS < deadline)) || return 0
      kubectl -n "$namespace" rollout status "$workload" --timeout="$((deadline - SECONDS))s"
    done
  done
}

# The right repair may say that it is done, which would end the turn.
repair() {
  [[ -f $HOME/repair.sh ]] || return 0
  mkdir -p "$HOME/bin"
  ln -sf /bin/true "$HOME/bin/resolve"
  PATH="$HOME/bin:$PATH" bash "$HOME/repair.sh"
}

