"""What a cell can leave on its host: looked at before and after, and compared.

Other cells of this machine, which belong to other state folders, are told apart by their cgroups'
names and their images' paths, so that they do not count.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.waiting import wait_for

PROC = Path("/proc")
SPACES = ("net", "mnt", "pid", "uts", "ipc", "cgroup")
INIT = 1

Found = Mapping[str, str]
"""What tells a thing from all others -> what to show of it."""


@dataclass(frozen=True)
class Process:
    """One process as /proc shows it."""

    pid: int
    started: int
    state: str
    parent: int
    name: str
    command: str
    cgroup: str


@dataclass(frozen=True)
class Host:
    """The things of a host that a cell is made of."""

    things: Mapping[str, Found]
    """By sort: processes, namespaces, mounts, links, loop devices, cgroups."""

    def more_than(self, before: Host) -> list[str]:
        """What is there beside what was there before."""
        return [
            f"{sort}: {shown}"
            for sort, found in self.things.items()
            for key, shown in sorted(found.items())
            if key not in before.things[sort]
        ]


def look(state: Path) -> Host:
    """Everything there is now that may belong to cells of this state folder.

    Args:
        state: the state folder; exists.
    """
    suffix = f"-{state.stat().st_ino:x}"
    seen = list(processes())
    return Host(
        {
            "process": dict(_own_processes(seen, state, suffix)),
            "namespace": dict(_namespaces(seen, suffix)),
            "mount": dict(_mounts(state)),
            "link": dict(_links()),
            "loop device": dict(_loops(state)),
            "cgroup": dict(_cgroups(suffix)),
        }
    )


def wait_for_nothing_more(before: Host, state: Path, timeout_s: float = 20) -> None:
    """Wait until there is no more than before: the kernel frees some of it a moment later.

    Raises:
        NotReady: something stays; the message lists it.
    """

    def compare() -> tuple[bool | None, str]:
        more = look(state).more_than(before)
        return (None if more else True), "; ".join(more[:20])

    wait_for("the host to be as it was before", compare, timeout_s=timeout_s, every_s=0.5)


def processes() -> Iterator[Process]:
    """All processes, zombies too."""
    for folder in PROC.glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            )
            cgroup = (folder / "cgroup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        name = stat[stat.index("(") + 1 : stat.rindex(")")]
        rest = stat[stat.rindex(")") + 2 :].split()
        yield Process(
            int(folder.name), int(rest[19]), rest[0], int(rest[1]), name, command.strip(), cgroup
        )


def spaces_of(pid: int) -> frozenset[str]:
    """The namespaces of a process that are not this process's own."""
    return _spaces(pid) - _spaces(os.getpid())


def holders(spaces: frozenset[str]) -> list[str]:
    """The processes that are in one of these namespaces."""
    return [
        f"{process.pid} {process.command or process.name}"
        for process in processes()
        if spaces & _spaces(process.pid)
    ]


def _own_processes(seen: list[Process], state: Path, suffix: str) -> Iterator[tuple[str, str]]:
    adopters = (INIT, os.getpid())
    for process in seen:
        in_cell = re.search(rf"/cell-[^/\n]*{suffix}\b", process.cgroup) is not None
        mentions = re.search(rf"{re.escape(str(state))}\b", process.command) is not None
        orphan = process.state == "Z" and process.parent in adopters
        if in_cell or mentions or orphan:
            shown = f"{process.pid} ({process.state}) {process.command or process.name}"
            yield f"{process.pid}@{process.started}", shown


def _spaces(pid: int) -> frozenset[str]:
    found = set()
    for space in SPACES:
        try:
            found.add(str((PROC / str(pid) / "ns" / space).readlink()))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it has just ended, is a zombie, or the host's own init
    return frozenset(found)


def _namespaces(seen: list[Process], suffix: str) -> Iterator[tuple[str, str]]:
    spaces = {process.pid: _spaces(process.pid) for process in seen}
    own = _spaces(os.getpid())
    # Not every process in another cell's namespaces is in its cgroup, but some are.
    foreign = [p.pid for p in seen if "/cell-" in p.cgroup and suffix not in p.cgroup]
    others = frozenset[str]().union(*(spaces[pid] for pid in foreign)) - own
    for process in seen:
        for space in spaces[process.pid] - others:
            yield space, f"{space} of {process.pid} {process.command or process.name}"


def _mounts(state: Path) -> Iterator[tuple[str, str]]:
    for line in (PROC / "self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        point, kind = left.split()[4], right.split()[0]
        if point.endswith("/pool") and kind == "btrfs" and not point.startswith(f"{state}/"):
            continue
        yield f"{point} {kind}", f"{kind} on {point}"


def _links() -> Iterator[tuple[str, str]]:
    for line in _said("ip", "-o", "link").splitlines():
        name = line.split(": ")[1].partition("@")[0]
        yield name, name


def _loops(state: Path) -> Iterator[tuple[str, str]]:
    for line in _said(
        "losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE"
    ).splitlines():
        name, _, file = line.strip().partition(" ")
        if "/pool.img" in file and not file.strip().startswith(f"{state}/"):
            continue
        yield f"{name} {file.strip()}", f"{name} of {file.strip()}"


def _cgroups(suffix: str) -> Iterator[tuple[str, str]]:
    for hierarchy in cgroups.hierarchies():
        for folder in hierarchy.glob(f"cell-*{suffix}"):
            yield str(folder), str(folder)


def _said(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout
