"""A cgroup of its own for every cell, in every hierarchy: what a crash leaves is found there.

Under version 2 a cgroup that shares resources out to others has no processes of its own. So a
cgroup "x" is made with a part "x/own", and what runs in "x" itself is there.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from faultyard.clusters.embedded import device_programs
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

MOUNT = Path("/sys/fs/cgroup")
V1_CONTROLLERS = (
    "cpu",
    "cpuacct",
    "cpuset",
    "memory",
    "pids",
    "blkio",
    "devices",
    "freezer",
    "systemd",
    # Beside v1 controllers (a "hybrid" host): systemd-nspawn takes its place from this one.
    "unified",
)
MOST_TASKS = 16384
"""Processes and threads of a cell; one with an application has some two thousand."""
MOST_CGROUPS = 5000
"""Of a cell; a busy node has some hundred."""


CONTROLLERS = ("cpu", "cpuset", "io", "memory", "pids")
"""Of version 2: what is shared out among cells, their nodes and the nodes' pods."""
OWN = "own"
MACHINE = "machine"


def unified() -> bool:
    """Whether this host has cgroup v2 alone."""
    return (MOUNT / "cgroup.controllers").exists()


def hierarchies() -> list[Path]:
    """The mount points of the hierarchies that a cell uses; links to shared ones count once."""
    if unified():
        return [MOUNT]
    found = [MOUNT / name for name in V1_CONTROLLERS if (MOUNT / name).is_dir()]
    real = {path.resolve(): path for path in found}
    return list(real.values())


def create(path: str) -> list[Path]:
    """Make the cgroup `path` ("cell" or "cell/node") in every hierarchy; returns its folders.

    Raises:
        ClusterError: controllers cannot be had.
    """
    if unified():
        folder = _share_out(path)
        (folder / OWN).mkdir(exist_ok=True)
        return [folder]
    folders = []
    for hierarchy in hierarchies():
        folder = hierarchy
        for part in path.split("/"):
            folder = folder / part
            folder.mkdir(exist_ok=True)
            if hierarchy.name.startswith("cpuset"):
                _inherit_cpuset(folder)
        folders.append(folder)
    return folders


def create_for_machine(path: str) -> str:
    """A cgroup for systemd-nspawn in the cgroup `path`, which is there: it makes its own parts.

    Under version 2 nothing else may ever run there, not even for a moment, as controllers could
    not be passed on to the parts then. Under version 1 it is `path` itself.
    """
    if not unified():
        return path
    _share_out(f"{path}/{MACHINE}")
    return f"{path}/{MACHINE}"


def _share_out(path: str) -> Path:
    """Make a cgroup of version 2 that has all controllers which the host has."""
    folder = MOUNT
    for part in path.split("/"):
        there = (folder / "cgroup.controllers").read_text().split()
        words = " ".join(f"+{name}" for name in CONTROLLERS if name in there)
        try:
            (folder / "cgroup.subtree_control").write_text(words)
        except OSError as error:
            raise ClusterError(
                f"{folder} does not pass on {words}: {error.strerror}. Cells need the cgroups of a "
                "machine of its own, at their root."
            ) from error
        folder = folder / part
        folder.mkdir(exist_ok=True)
    return folder


def _inherit_cpuset(folder: Path) -> None:
    # A new v1 cpuset is empty, and no process can join an empty one.
    for name in ("cpuset.cpus", "cpuset.mems"):
        if not (folder / name).read_text().strip():
            (folder / name).write_text((folder.parent / name).read_text())


def hold_back(path: str) -> None:
    """Give the cgroup four times a single process's share: its cell begins, or ends.

    A start takes all that there is, and users of another cell must not feel it.
    """
    _weigh(path, 4)


def prefer(path: str) -> None:
    """Give the cgroup sixteen times a single process's share of the processors.

    Otherwise all of a cell together would count as much as one process beside it, and any other
    work on the host would show as a slow application.
    """
    _weigh(path, 16)


def _weigh(path: str, processes: int) -> None:
    if unified():
        weight = MOUNT / path / "cpu.weight"
        if weight.exists():  # a host may do without the controller
            weight.write_text(str(processes * 100))
    elif (MOUNT / "cpu").is_dir():
        (MOUNT / "cpu" / path / "cpu.shares").write_text(str(processes * 1024))


def deny_block_devices(path: str) -> None:
    """No process below the cgroup may open a block device: the host's disks are such.

    It must be a cgroup that nodes do not see: in their own one, root can allow them again. Making a
    node stays allowed: runc grants it to every container, and a child cgroup cannot have what its
    parent lacks.

    Raises:
        ClusterError: this kernel's cgroups of version 2 cannot.
    """
    if unified():
        device_programs.deny_block_devices(MOUNT / path)
    else:
        (MOUNT / "devices" / path / "devices.deny").write_text("b *:* rw")


def governed(path: str) -> Path | None:
    """The folder of the cgroup in version 2, alone or beside version 1; None: there is none.

    Only there programs of the kernel can decide on devices and settings.
    """
    folder = MOUNT / path if unified() else MOUNT / "unified" / path
    return folder if (folder / "cgroup.procs").exists() else None


def bound(path: str) -> None:
    """Limit what a cgroup can take from all others without memory or processors: a fork bomb."""
    folder = MOUNT / path if unified() else MOUNT / "pids" / path
    if (folder / "pids.max").exists():
        (folder / "pids.max").write_text(str(MOST_TASKS))
    # Version 1 has no limit for cgroups themselves.
    descendants = governed(path)
    if descendants is not None:
        (descendants / "cgroup.max.descendants").write_text(str(MOST_CGROUPS))


def count(path: str) -> int:
    """How many cgroups there are below it, in the hierarchy that has most of them."""
    return max(len(_below(hierarchy / path)) for hierarchy in hierarchies())


def join_script(path: str) -> str:
    """Shell words that move the running shell into the cgroup `path` in every hierarchy."""
    return "".join(f"echo 0 > {_entry(h / path) / 'cgroup.procs'}; " for h in hierarchies())


def _entry(folder: Path) -> Path:
    own = folder / OWN
    return own if unified() and own.is_dir() else folder


def cpu_file(path: str) -> Path:
    """The file that tells the processor time which everything in the cgroup has used."""
    if unified():
        return MOUNT / path / "cpu.stat"
    return MOUNT / "cpuacct" / path / "cpuacct.usage"


def machine_folder(path: str) -> Path:
    """The cgroup whose parts are a machine's, in the hierarchy that tells its units.

    Args:
        path: the cgroup that the machine's one was made in.
    """
    return MOUNT / path / MACHINE if unified() else MOUNT / "systemd" / path


def processes(path: str) -> set[int]:
    """The host PIDs of all processes in the cgroup and below it."""
    found: set[int] = set()
    for hierarchy in hierarchies():
        top = hierarchy / path
        for folder in [top, *_below(top)]:
            with contextlib.suppress(FileNotFoundError, OSError):  # a cgroup that just went
                found.update(int(pid) for pid in (folder / "cgroup.procs").read_text().split())
    return found - {0}


def _below(top: Path) -> list[Path]:
    return [Path(base) / name for base, names, _ in os.walk(top) for name in names]


def kill(path: str, timeout_s: float = 20) -> None:
    """End every process of the cgroup, frozen ones too.

    Raises:
        NotReady: some process survived SIGKILL for `timeout_s` seconds.
    """
    _thaw(path)

    def look() -> tuple[bool | None, str]:
        alive = processes(path)
        for pid in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return (None if alive else True), f"alive: {sorted(alive)[:10]}"

    wait_for(f"the processes of {path} to end", look, timeout_s=timeout_s, every_s=0.005)


def _thaw(path: str) -> None:
    for folder in [MOUNT / "freezer" / path, *_below(MOUNT / "freezer" / path)]:
        state = folder / "freezer.state"
        if state.exists():
            state.write_text("THAWED")
    if unified():
        for folder in [MOUNT / path, *_below(MOUNT / path)]:
            with contextlib.suppress(FileNotFoundError):  # none, or one that just went
                (folder / "cgroup.freeze").write_text("0")


def remove(path: str, timeout_s: float = 10) -> None:
    """Delete the cgroup with all below it; none is no error.

    Raises:
        NotReady: the kernel still held one after `timeout_s` seconds.
    """

    def look() -> tuple[bool | None, str]:
        left = []
        for hierarchy in hierarchies():
            top = hierarchy / path
            for folder in sorted([top, *_below(top)], key=lambda p: len(p.parts), reverse=True):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    continue
                except OSError as error:
                    left.append(f"{folder}: {error.strerror}")
        return (None if left else True), "; ".join(left[:3])

    wait_for(f"the cgroups of {path} to go", look, timeout_s=timeout_s, every_s=0.005)


def check_writable() -> None:
    """Fail early where cgroups cannot be made.

    Raises:
        ClusterError: no hierarchy is mounted writable.
    """
    if not hierarchies():
        raise ClusterError(f"no cgroup hierarchy is mounted at {MOUNT}; a cell needs one")
