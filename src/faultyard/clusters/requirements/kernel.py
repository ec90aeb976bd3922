"""What the kernel lets a cell do: namespaces, mounts, storage, cgroups, priorities."""

from __future__ import annotations

from faultyard.clusters.embedded import cgroups, pool
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.requirements.attempts import PRIVILEGED, attempt, own_cgroup
from faultyard.clusters.requirements.requirement import Lacking, Requirement

V1_NEEDED = frozenset("cpu cpuacct cpuset devices freezer memory pids systemd".split())
V2_NEEDED = frozenset("cpu cpuset memory pids".split())
"""Controllers without which the kubelet does not start, or a cell cannot be bounded."""


def namespaces() -> str:
    """Network, mount, PID, IPC and UTS namespaces with a first process that reaps."""
    attempt("hostname gateway\ntini -s -- true", PRIVILEGED)
    return "network, mount, PID, IPC, UTS"


def mounts() -> str:
    """Mounts and device nodes."""
    script = """
    mkdir /run/one /run/other
    mount --bind /run/one /run/other
    mount -o remount,bind,ro /run/other
    mount --make-rshared /run
    mknod -m 600 /run/null c 1 3
    echo tried > /run/null
    """
    attempt(script, PRIVILEGED)
    return "tmpfs, bind mounts, device nodes"


def overlay() -> str:
    """The file system of containers: a file of the lower layer is deleted in the upper one."""
    script = """
    cd /run
    mkdir lower upper work merged
    touch lower/file
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged
    rm merged/file
    """
    attempt(script, f"modprobe overlay; else {PRIVILEGED}")
    return "mounted, a file deleted"


def storage() -> str:
    """A btrfs image on a loop device, with a snapshot."""
    remedy = "modprobe -a loop btrfs; a container in between needs the host's loop devices"
    if not pool.btrfs_available():
        raise Lacking("no loop device, or no btrfs in this kernel", remedy)
    script = """
    truncate -s 256M /run/image
    mkfs.btrfs -q -m single -d single /run/image >&2
    mkdir /run/pool
    mount -o loop,noatime,compress=no /run/image /run/pool
    btrfs -q subvolume create /run/pool/one
    btrfs -q subvolume snapshot /run/pool/one /run/pool/other
    btrfs -q subvolume delete /run/pool/other
    """
    attempt(script, remedy)
    return "btrfs on a loop device, cloned"


def control_groups() -> str:
    """A cgroup of its own in every hierarchy, with controllers and processes in it."""
    cgroups.check_writable()
    with own_cgroup() as name:
        version = _check_v2(name) if cgroups.unified() else _check_v1(name)
        run(["sh", "-c", f"{cgroups.join_script(name)} exec true"])
        cgroups.deny_block_devices(name)
    return version


def _check_v1(name: str) -> str:
    lacking = V1_NEEDED - {file.parent.name for file in cgroups.MOUNT.glob("*/cgroup.procs")}
    if lacking:
        raise Lacking(
            f"not mounted below {cgroups.MOUNT}: {', '.join(sorted(lacking))}",
            f"mount them, or boot with cgroup v2 alone; else {PRIVILEGED}",
        )
    (cgroups.MOUNT / "cpu" / name / "cpu.shares").write_text("1024")
    return "v1, all controllers"


def _check_v2(name: str) -> str:
    lacking = V2_NEEDED - set((cgroups.MOUNT / name / "cgroup.controllers").read_text().split())
    if lacking:
        raise Lacking(
            f"new cgroups lack {', '.join(sorted(lacking))}",
            f"boot without cgroup_disable= and with cgroup v2 alone; else {PRIVILEGED}",
        )
    cgroups.create(f"{name}/child")  # as a node's: beside the processes of the cell itself
    return f"v2 with {', '.join(sorted(V2_NEEDED))}, delegated"


def real_time() -> str:
    """Real-time priority, for the load generator."""
    attempt("chrt --rr 1 true", f"allow CAP_SYS_NICE; else {PRIVILEGED}")
    return "granted"


REQUIREMENTS = (
    Requirement("namespaces", namespaces, ("unshare", "setpriv", "tini", "hostname")),
    Requirement("mounts", mounts, ("unshare", "setpriv", "mount")),
    Requirement("overlayfs", overlay, ("unshare", "setpriv", "mount")),
    Requirement(
        "clones",
        storage,
        ("unshare", "setpriv", "mount"),
        without="nodes are copied instead of cloned, and cells may fill the disk",
    ),
    Requirement("cgroups", control_groups, ("setpriv",)),
    Requirement(
        "real-time priority",
        real_time,
        ("unshare", "setpriv", "chrt"),
        without="load may start late on a busy host, and a trial then ends as runtime_error",
    ),
)
