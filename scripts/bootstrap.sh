#!/bin/bash
# Makes the Python environment and prints its folder: $FAULTYARD_CACHE/venv/<hash of the pins>.
# Quick when it is there already. It is made beside its place and moved there in one rename, so a
# half-made one is never used; a lock keeps two of us from making the same one.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${FAULTYARD_CACHE:-/var/cache/faultyard}

fail() { # EXIT-CODE MESSAGE
	echo "error: $2" >&2
	exit "$1"
}

python_of_this_machine() {
	local candidate
	for candidate in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11; do
		if command -v "$candidate" > /dev/null &&
			"$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
			command -v "$candidate"
			return
		fi
	done
	fail 3 "Python 3.11 or newer is needed: apt-get install python3"
}

install_venv_module() { # PYTHON
	[ "$(id -u)" = 0 ] || fail 2 "$1 lacks the module venv, and installing it needs root: sudo apt-get install python3-venv"
	command -v apt-get > /dev/null || fail 3 "$1 lacks the module venv, and this is no Debian to install it on"
	echo "faultyard: installing python3-venv" >&2
	{
		apt-get -q -o DPkg::Lock::Timeout=300 update || true # what is missing shows in the next line
		DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 install python3-venv
	} >&2
}

hash=$(cat "$root"/requirements*.txt | sha256sum | cut -c1-16)
environment=$cache/venv/$hash
if [ ! -d "$environment" ]; then
	mkdir -p "$cache/venv" 2> /dev/null ||
		fail 2 "$cache cannot be made: run as root, or set FAULTYARD_CACHE to a folder of yours"
	exec 9> "$cache/venv/.lock"
	flock 9
fi
if [ ! -d "$environment" ]; then
	python=$(python_of_this_machine)
	"$python" -c 'import ensurepip, venv' 2> /dev/null || install_venv_module "$python"
	echo "faultyard: making the Python environment, about half a minute" >&2
	# A virtual environment knows its own path, so it is made under its final name, in a folder
	# that is moved into place below: scripts in it are not used, only `python -m`.
	building=$cache/venv/.building
	rm -rf "$building"
	"$python" -m venv "$building"
	"$building/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
		--requirement "$root/requirements.txt" --requirement "$root/requirements-dev.txt" >&2 ||
		fail 3 "the Python packages could not be installed; is PyPI reachable, and the disk not full? See above."
	sync -f "$building"
	mv "$building" "$environment"
fi
echo "$environment"
