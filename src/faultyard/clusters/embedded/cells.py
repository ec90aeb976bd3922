"""All cells of a state folder: which there are, what they use, and removing them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded import cgroups, layout
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import require_root
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.errors import ClusterError, Refused, UnknownName


@dataclass(frozen=True)
class Status:
    """What is seen of one cell now."""

    name: str
    state: str
    nodes: list[str]
    processes: dict[str, bool]
    memory_mib: float


def names(state: Path | None = None) -> list[str]:
    """The cells of the state folder, running or left over by a crash."""
    folder = (state or layout.state_folder()) / "cells"
    return sorted(path.name for path in folder.glob("*")) if folder.exists() else []


def running(state: Path | None = None) -> list[str]:
    """Those of them that have processes: they run, or are being brought up or removed."""
    folder = state or layout.state_folder()
    return [name for name in names(folder) if cgroups.processes(Cell(name, folder).cgroup)]


def status(name: str, state: Path | None = None) -> Status:
    """Look at one cell.

    Raises:
        UnknownName: there is none of this name.
    """
    cell = Cell(name, state)
    if not cell.exists:
        raise UnknownName(f"no cell named {name}; `faultyard status` lists them")
    try:
        spaces = cell.namespaces
    except (Refused, UnknownName):
        return Status(name, "ended; `faultyard down` removes what is left", [], {}, 0.0)
    running = {p: spaces.running(pid) for p, pid in cell.description.processes.items()}
    lines = {}
    for node in cell.nodes:
        lines[node.place.name] = node.first_process() is not None
    complete = all(running.values()) and all(lines.values()) and "kube-scheduler" in running
    memory = sum(_resident_mib(pid) for pid in cgroups.processes(cell.cgroup))
    state_word = "running" if complete else "incomplete"
    return Status(name, state_word, list(lines), {**running, **lines}, memory)


def _resident_mib(pid: int) -> float:
    """A process's proportional share of memory (proc(5), smaps_rollup).

    Pages that several share, as those of the one Kubernetes binary, count once in the sum.
    """
    with contextlib.suppress(OSError):  # it ended meanwhile
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def down(name: str, state: Path | None = None) -> None:
    """Remove one cell; with the last one the pool is unmounted, its templates stay."""
    require_root()
    folder = state or layout.state_folder()
    if not folder.exists():
        return
    Cell(name, folder).down()
    close_unused(folder)


def close_unused(state: Path | None = None) -> None:
    """Unmount the pool if there is no cell."""
    folder = state or layout.state_folder()
    pool = Pool(folder)
    if pool.root.exists():
        with pool.lock():  # a cell that is brought up has its folder before it opens the pool
            if not names(folder):
                pool.close_if_unused()


def down_all(state: Path | None = None, report: Callable[[str], None] = lambda _: None) -> None:
    """Remove every cell, the pool with its templates, and all that a crash left behind.

    Args:
        state: the state folder; the default one when None.
        report: is told the name of each cell that is removed.
    """
    require_root()
    folder = state or layout.state_folder()
    if not folder.exists():
        return
    suffix = f"-{layout.mark(folder)}"
    found = set(names(folder)) | _names_of_cgroups(suffix)
    problems = []
    for name in sorted(found):
        report(name)
        try:
            Cell(name, folder).down()
        except ClusterError as error:
            problems.append(f"{name}: {error}")
    if problems:
        raise ClusterError("; ".join(problems))
    Pool(folder).remove()
    for path in (folder / "cells", *folder.glob(".lock*")):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _names_of_cgroups(suffix: str) -> set[str]:
    """Cells whose folder is gone but whose cgroup is not."""
    found = set()
    for hierarchy in cgroups.hierarchies():
        for path in hierarchy.glob(f"cell-*{suffix}"):
            found.add(path.name.removeprefix("cell-").removesuffix(suffix))
    return found
