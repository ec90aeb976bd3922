#!/bin/bash
# Pushes images to a registry that runs for this alone, in a network namespace of its own: no port
# of the host is used or can disturb.
# Arguments: the registry's program, its empty store, an OCI layout, a file with the images' names.
set -euo pipefail
if [ -z "${INSIDE:-}" ]; then
	exec env INSIDE=1 unshare --net "$0" "$@"
fi
program=$1 store=$2 layout=$3 names=$4
address=127.0.0.1:5000
ip link set lo up

configuration=$(mktemp)
trap 'rm -f "$configuration"' EXIT
printf 'version: 0.1\nlog: {level: warn}\nstorage: {filesystem: {rootdirectory: "%s"}}\nhttp: {addr: "%s"}\n' \
	"$store" "$address" > "$configuration"
OTEL_TRACES_EXPORTER=none "$program" serve "$configuration" &
server=$!
curl --silent --show-error --fail --output /dev/null --retry 100 --retry-delay 1 --retry-max-time 60 \
	--retry-connrefused "http://$address/v2/"

while read -r name; do
	skopeo --insecure-policy copy --quiet --preserve-digests --dest-tls-verify=false \
		"oci:$layout:$name" "docker://$address/$name"
done < "$names"

kill "$server"
wait "$server" || true
# What uploads leave behind is of no use to anybody.
find "$store" -depth -type d -name _uploads -exec rm -rf {} +
