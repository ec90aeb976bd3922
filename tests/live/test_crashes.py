"""After `kill -9` of the harness, or of a cell's first process, `down --all` leaves nothing.

When the first process is killed, the kernel ends what is in the cell, before anybody tidies up.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cells, cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.waiting import wait_for
from live import residue, states
from live.cli import Running, faultyard
from live.shared import PROBLEM

AGENT = ["sleep", "1000"]


@dataclass(frozen=True)
class Scene:
    """A cell at the moment of the crash, and the process of the harness that is at work in it."""

    state: Path
    cell: Cell
    harness: Running


def in_set_up(state: Path, folder: Path) -> Scene:
    """Control plane up, machines booting."""
    harness = Running(["up"], state, folder / "up.log")
    harness.wait_phase("nodes")
    return Scene(state, Cell("main", state), harness)


def when_ready(state: Path, folder: Path) -> Scene:
    """A cell that is up, and somebody's session on a node of it."""
    said = faultyard("up", state=state)
    assert said.returncode == 0, said.stderr
    harness = Running(["ssh", "worker-1", *AGENT], state, folder / "ssh.log")
    cell = Cell("main", state)

    def look() -> tuple[bool | None, str]:
        found = cell.node("worker-1").run(["pgrep", "-x", AGENT[0]], check=False)
        return (True if found.strip() else None), "no session on the node"

    wait_for("the session to begin", look, timeout_s=20)
    return Scene(state, cell, harness)


def in_a_trial(state: Path, folder: Path) -> Scene:
    """An agent at work, load on the application."""
    arguments = ["run", PROBLEM, "-a", "command", "-o", str(folder / "record"), "--", *AGENT]
    harness = Running(arguments, state, folder / "run.log")
    harness.wait_phase("turn of command", timeout_s=400)
    cell = Cell(cells.names(state)[0], state)

    def look() -> tuple[bool | None, str]:
        seen = [p for p in residue.processes() if f"/{cell.cgroup}/agent" in p.cgroup]
        begun = any(process.command == " ".join(AGENT) for process in seen)
        return (True if begun else None), f"{[process.command for process in seen]}"

    wait_for("the agent to begin", look, timeout_s=60)
    return Scene(state, cell, harness)


def kill_harness(scene: Scene) -> None:
    scene.harness.kill()


def kill_first_process(scene: Scene) -> None:
    """Kill it, and see that all that was in the cell goes, without anybody's help."""
    first, cgroup = scene.cell.description.pid, scene.cell.cgroup
    inside = [first, *cgroups.processes(cgroup)]
    spaces = frozenset[str]().union(*(residue.spaces_of(pid) for pid in inside))
    os.kill(first, signal.SIGKILL)

    def look() -> tuple[bool | None, str]:
        left = [f"{pid} in the cgroup" for pid in cgroups.processes(cgroup)]
        left += residue.holders(spaces)
        return (None if left else True), "; ".join(left[:10])

    # Links and mounts go with the namespaces that hold them.
    wait_for("the cell's processes and namespaces to go", look, timeout_s=30, every_s=0.2)
    scene.harness.wait_end(timeout_s=150)
    assert "Traceback" not in scene.harness.log.read_text()


@pytest.fixture
def own_state(tmp_path: Path) -> Iterator[Path]:
    """A state folder in which nothing but this crash has ever been."""
    with states.folder() as folder:
        yield folder


MOMENTS = [(in_set_up, 10), (when_ready, 25), (in_a_trial, 120)]
VICTIMS = [(kill_harness, 0), (kill_first_process, 15)]
IN_EVERY_RUN = (when_ready, kill_first_process)
CRASHES = [
    pytest.param(
        reach,
        kill,
        id=f"{reach.__name__}-{kill.__name__}",
        marks=[
            pytest.mark.cost(reach_s + kill_s + 10),
            *([] if (reach, kill) == IN_EVERY_RUN else [pytest.mark.long]),
        ],
    )
    for reach, reach_s in MOMENTS
    for kill, kill_s in VICTIMS
]


@pytest.mark.parametrize(("reach", "kill"), CRASHES)
def test_after_a_crash_down_leaves_nothing(
    reach: Callable[[Path, Path], Scene],
    kill: Callable[[Scene], None],
    own_state: Path,
    tmp_path: Path,
) -> None:
    before = residue.look(own_state)
    scene = reach(own_state, tmp_path)
    try:
        kill(scene)
    finally:
        scene.harness.kill()
    said = faultyard("down", "--all", state=own_state)
    assert said.returncode == 0, said.stderr
    residue.wait_for_nothing_more(before, own_state)
    assert [path.name for path in own_state.iterdir()] == [states.LOCK]
