"""Whether a node can be started, as a machine of systemd-nspawn, and be kept from the host."""

from __future__ import annotations

import shlex
from pathlib import Path

from faultyard.clusters.embedded import cgroups, governing, nodes
from faultyard.clusters.embedded.artifacts import builds
from faultyard.clusters.embedded.artifacts.errors import NotBuilt
from faultyard.clusters.requirements.attempts import PRIVILEGED, attempt, own_cgroup
from faultyard.clusters.requirements.requirement import Lacking, NotTried, Requirement

NAME = "probe"
ROOT = Path("/run/root")
# A machine of this host's own programs. What the script does in it is what a node's first
# process, the kubelet and containerd do.
FILES = f"""
mkdir -p /run/netns {ROOT}/etc {ROOT}/usr {ROOT}/run
touch {ROOT}/etc/os-release
for name in bin sbin lib lib64; do ln -s usr/$name {ROOT}/$name; done
ip netns add {NAME}
"""
INSIDE = """
set -e
mount -o remount,bind,rw /sys/fs/cgroup
if [ -d /sys/fs/cgroup/memory ]; then mount -o remount,bind,rw /sys/fs/cgroup/memory; fi
mkdir "$1"
mount --make-rshared /
mount -t tmpfs tmpfs /tmp
mkdir /tmp/lower /tmp/upper /tmp/work /tmp/merged
cd /tmp
mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged
unshare --net --pid --fork true
"""


def machine() -> str:
    """A machine that mounts, makes cgroups and starts containers."""
    cgroups.check_writable()
    child = "/sys/fs/cgroup/child" if cgroups.unified() else "/sys/fs/cgroup/memory/child"
    first = ["--bind-ro=/usr", "--console=pipe", "/bin/sh", "-c", INSIDE, "sh", child]
    with own_cgroup() as name:
        join = cgroups.join_script(cgroups.create_for_machine(name))
        start = shlex.join([*_confined(), *nodes.launcher(ROOT, NAME), *first])
        # It alone moves there, and all that this starts ends with the attempt.
        attempt(
            f"{FILES}\nsh -c {shlex.quote(f'{join} exec {start}')}",
            PRIVILEGED,
            env=nodes.launching(),
        )
    return "started by systemd-nspawn, with cgroups and mounts of its own"


def _confined() -> list[str]:
    """The filter of system calls that a node is started under, once it is built."""
    try:
        return [str(builds.ensure(build=False).binary("confine")), "-launch"]
    except NotBuilt:
        return []


def isolation() -> str:
    """The programs of the kernel that keep a cell from the host's devices and settings."""
    try:
        program = builds.ensure(build=False).binary("govern")
    except NotBuilt as error:
        raise NotTried("its rules are not built") from error
    with own_cgroup() as name:
        lacking = governing.govern(name, [NAME], program)
    if lacking:
        remedy = f"mount cgroup2, on a kernel with CONFIG_CGROUP_BPF; else {PRIVILEGED}"
        raise Lacking(lacking.splitlines()[-1], remedy)
    return "of devices and of settings below /proc/sys"


REQUIREMENTS = (
    Requirement("nodes", machine, ("unshare", "setpriv", "mount", "ip", "systemd-nspawn")),
    Requirement(
        "isolation of nodes",
        isolation,
        ("setpriv",),
        without="root on a node can change the host's settings; what it changed is put back after a"
        " turn",
    ),
)
