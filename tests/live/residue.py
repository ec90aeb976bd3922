"""What a cell can leave on its host: looked at before and after, and compared.

Other cells of this machine, which belong to other state folders, are told apart by their cgroups'
names and their images' paths, so that they do not count.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded import cgroups, layout
from faultyard.clusters.waiting import wait_for

PROC = Path("/proc")
SPACES = ("net", "mnt", "pid", "uts", "ipc", "cgroup")
INIT = 1

SETTINGS = PROC / "sys"
CHANGING = re.compile(
    r"fs/(dentry-state|file-nr|inode-nr|inode-state|aio-nr|quota/.*)|fs/binfmt_misc/.*"
    r"|kernel/(random/.*|ns_last_pid|pty/nr|hung_task_.*|perf_event_.*|tainted|sched_domain/.*)"
    r"|net/netfilter/nf_conntrack_count|net/ipv4/route/flush|net/ipv6/route/flush"
    r"|fs/inotify/max_user_instances"
)
"""Settings below /proc/sys that the kernel changes by itself, and one that `up` raises for good."""
SHARED_STORAGE = ("golden", "templates")
"""What cells share on the pool: it stays when they go."""

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
    """By sort: processes, namespaces, mounts, links, loop devices, cgroups, cells' files, rules of
    the firewall, kernel settings."""

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
    suffix = f"-{layout.mark(state)}"
    seen = list(processes())
    return Host(
        {
            "process": dict(_own_processes(seen, state, suffix)),
            "namespace": dict(_namespaces(seen, state, suffix)),
            "mount": dict(_mounts(state)),
            "link": dict(_links()),
            "loop device": dict(_loops(state)),
            "cgroup": dict(_cgroups(suffix)),
            "file": dict(_files(state)),
            "firewall": dict(_firewall()),
            "setting": dict(_settings()),
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
        told = f"{process.command} {_variables(process.pid)}"
        mentions = re.search(rf"{re.escape(str(state))}(?![\w.-])", told) is not None
        orphan = process.state == "Z" and process.parent in adopters
        if _in_cell(process, suffix) or mentions or orphan:
            shown = f"{process.pid} ({process.state}) {process.command or process.name}"
            yield f"{process.pid}@{process.started}", shown


def _in_cell(process: Process, suffix: str) -> bool:
    return re.search(rf"/cell-[^/\n]*{suffix}(?!\w)", process.cgroup) is not None


def _spaces(pid: int) -> frozenset[str]:
    found = set()
    for space in SPACES:
        try:
            found.add(str((PROC / str(pid) / "ns" / space).readlink()))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it has just ended, is a zombie, or the host's own init
    return frozenset(found)


def _namespaces(seen: list[Process], state: Path, suffix: str) -> Iterator[tuple[str, str]]:
    spaces = {process.pid: _spaces(process.pid) for process in seen}
    own = _spaces(os.getpid())
    # Not every process in another cell's namespaces is in its cgroup, but some are.
    foreign = [p.pid for p in seen if "/cell-" in p.cgroup and not _in_cell(p, suffix)]
    others = frozenset[str]().union(*(spaces[pid] for pid in foreign)) - own
    ours = {int(key.partition("@")[0]) for key, _ in _own_processes(seen, state, suffix)}
    by_pid = {process.pid: process for process in seen}
    for process in seen:
        top = _top(process, by_pid)
        # What a crash leaves has been adopted. What somebody's program has made, a build or
        # another test, is below a process that is in the host's own namespaces.
        if top.pid in ours or process.pid in ours or spaces[top.pid] - own:
            for space in spaces[process.pid] - others - own:
                yield space, f"{space} of {process.pid} {process.command or process.name}"


def _top(process: Process, by_pid: Mapping[int, Process]) -> Process:
    """The process below the adopters that it descends from."""
    while process.parent not in {INIT, os.getpid()} and process.parent in by_pid:
        process = by_pid[process.parent]
    return process


def _mounts(state: Path) -> Iterator[tuple[str, str]]:
    for line in (PROC / "self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        point, kind = left.split()[4], right.split()[0]
        if point.endswith("/pool") and kind == "btrfs" and not point.startswith(f"{state}/"):
            continue
        if "/pytest-of-" in point and not point.startswith(f"{state}/"):
            continue  # another test's, at the same time
        yield f"{point} {kind}", f"{kind} on {point}"


def _links() -> Iterator[tuple[str, str]]:
    for line in _said("ip", "-o", "link").splitlines():
        name = line.split(": ")[1].partition("@")[0]
        yield name, name


def _loops(state: Path) -> Iterator[tuple[str, str]]:
    image = state / "pool.img"
    own = [_file(image.stat())] if image.exists() else []
    columns = "NAME,BACK-MAJ:MIN,BACK-INO,BACK-FILE"
    for line in _said("losetup", "--list", "--noheadings", "--output", columns).splitlines():
        name, device, number, shown = line.split(maxsplit=3)
        # All pools are shown alike; one that is deleted, but not let go of, is told by that.
        if shown.endswith("/pool.img") and (device, number) not in own:
            continue
        yield f"{name} {device} {number}", f"{name} of {shown}"


def _file(status: os.stat_result) -> tuple[str, str]:
    device = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    return device, str(status.st_ino)


def _cgroups(suffix: str) -> Iterator[tuple[str, str]]:
    for hierarchy in cgroups.hierarchies():
        for folder in hierarchy.glob(f"cell-*{suffix}"):
            yield str(folder), str(folder)


def _variables(pid: int) -> str:
    try:
        return (PROC / str(pid) / "environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""  # it has just ended, or is a zombie


def _files(state: Path) -> Iterator[tuple[str, str]]:
    for path in (*state.glob("cells/*"), *state.glob("pool/*"), *state.glob("*.making")):
        if path.name not in SHARED_STORAGE:
            yield str(path), str(path)


def _firewall() -> Iterator[tuple[str, str]]:
    table = ""
    for line in _said("nft", "--stateless", "list", "ruleset").splitlines():
        table = line if line.startswith("table") else table
        yield f"{table} {line}", f"{line.strip()} of {table}"


def _settings() -> Iterator[tuple[str, str]]:
    for base, _, names in os.walk(SETTINGS):
        for name in names:
            setting = f"{base}/{name}".removeprefix(f"{SETTINGS}/")
            if CHANGING.fullmatch(setting) is None:
                with contextlib.suppress(OSError):  # some can only be written to
                    value = (SETTINGS / setting).read_bytes().decode("utf-8", "replace").strip()
                    yield f"{setting}={value}", f"{setting} = {value}"


def _said(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout
