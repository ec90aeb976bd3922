"""After a crash of any process at any moment, `down` or the next `up` leaves nothing of it.

Moment, victim, signal and repair are drawn by seed (`victims`). The harness is stopped at the
moment, so that what runs holds still while the victim is chosen; then it goes on.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

from faultyard.apps import applications, templates
from faultyard.clusters.embedded import cells
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.waiting import wait_for
from faultyard.model.record import load_record
from faultyard.model.verdict import judge
from faultyard.model.vocabulary import Outcome
from live import residue, states, victims
from live.cli import Running, faultyard
from live.shared import PROBLEM
from live.victims import Draw

SLEEPER = ["sleep", "1000"]
IN_EVERY_RUN = (1, 2, 3)
LONG = range(101, 131)
COSTS: Mapping[str, float] = MappingProxyType(
    {"up": 16, "session": 18, "down": 14, "template": 60, "trial": 120}
)
"""What reaching the moment and removing the cell takes, in seconds."""
UP_S = 9
PATIENCE_S = 6
"""How long the harness may go on in a bare cell before it is told to end; it need not notice."""
PATIENCE_IN_A_TRIAL_S = 90


@dataclass(frozen=True)
class Scene:
    """The harness at the moment: stopped, or in a session on a node of a cell that is up."""

    state: Path
    harness: Running
    record: Path

    def hit(self, draw: Draw) -> str:
        """Send the drawn signal to the drawn victim; returns who that was.

        A harness that hangs is killed in the end, as a user does.
        """
        victim = None
        while victim is None:
            harness = victims.of_harness(self.harness.process.pid)
            cell = victims.without(victims.of_cells(self.state), harness)
            victim = draw.victim(harness, cell)
            try:
                os.kill(victim.pid, signal.Signals[draw.signal])
            except ProcessLookupError:
                victim = None  # it was about to end; another one, then
        if victim.pid == self.harness.process.pid and draw.signal == "SIGSTOP":
            self.harness.kill()
        self.harness.signal(signal.SIGCONT)
        return f"{victims.kind(victim)}: {victim.pid} {victim.command[:200]}"


def bring_up(state: Path) -> None:
    said = faultyard("up", state=state, timeout_s=600)
    assert said.returncode == 0, said.stderr


def stepped_run(arguments: list[str], draw: Draw, state: Path, folder: Path) -> Scene:
    """Run the command line up to the drawn moment."""
    stop = (draw.phase, draw.act, draw.count)
    harness = Running(arguments, state, folder / "log", stop)
    reached = harness.wait_stopped(timeout_s=1200)
    assert reached, f"it ended before the moment came: {harness.log.read_text()}"
    return Scene(state, harness, folder / "record")


def in_up(draw: Draw, state: Path, folder: Path) -> Scene:
    return stepped_run(["up"], draw, state, folder)


def in_a_session(draw: Draw, state: Path, folder: Path) -> Scene:
    bring_up(state)
    harness = Running(["ssh", "worker-1", *SLEEPER], state, folder / "log")
    node = Cell("main", state).node("worker-1")

    def look() -> tuple[bool | None, str]:
        found = node.run(["pgrep", "-x", SLEEPER[0]], check=False)
        return (True if found.strip() else None), "no session on the node"

    wait_for("the session to begin", look, timeout_s=60)
    return Scene(state, harness, folder / "record")


def in_down(draw: Draw, state: Path, folder: Path) -> Scene:
    bring_up(state)
    return stepped_run(["down", "main"], draw, state, folder)


def in_a_template(draw: Draw, state: Path, folder: Path) -> Scene:
    return stepped_run(["up", "--app", "hotel"], draw, state, folder)


def in_a_trial(draw: Draw, state: Path, folder: Path) -> Scene:
    agent = ["noop"]
    if draw.phase.startswith("turn"):
        agent = ["command", "--", *SLEEPER]
    arguments = ["run", PROBLEM, "-o", str(folder / "record"), "-a", *agent]
    return stepped_run(arguments, draw, state, folder)


ACTIONS: Mapping[str, Callable[[Draw, Path, Path], Scene]] = MappingProxyType(
    {
        "up": in_up,
        "session": in_a_session,
        "down": in_down,
        "template": in_a_template,
        "trial": in_a_trial,
    }
)


@pytest.fixture
def place(draw: Draw, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A state folder in which nothing but this crash has been; for a trial, with its template."""
    if draw.action != "trial":
        with states.folder() as folder:
            yield folder
        return
    shared: Path = request.getfixturevalue("state")
    built = request.getfixturevalue("artifacts")
    templates.ensure(built, applications.find("hotel"), state=shared)
    cells.close_unused(shared)
    yield shared


def crash(draw: Draw) -> object:
    cost = COSTS[draw.action] + (UP_S if draw.repair[0] == "up" else 0)
    marks = [pytest.mark.cost(cost), *([pytest.mark.long] if draw.seed in LONG else [])]
    return pytest.param(draw, id=str(draw), marks=marks)


DRAWS = [
    *(victims.draw(seed, trials=False) for seed in IN_EVERY_RUN),
    *(victims.draw(seed, trials=True) for seed in LONG),
]


@pytest.mark.parametrize("draw", [crash(draw) for draw in DRAWS])
def test_a_crash_leaves_nothing_that_is_not_repaired(
    draw: Draw, place: Path, tmp_path: Path
) -> None:
    before = residue.look(place)
    scene = ACTIONS[draw.action](draw, place, tmp_path)
    try:
        victim = scene.hit(draw)
        code = scene.harness.end(PATIENCE_IN_A_TRIAL_S if draw.action == "trial" else PATIENCE_S)
    finally:
        scene.harness.kill()
    said = f"hit {victim}; the harness ended with {code}: {scene.harness.log.read_text()[-2000:]}"
    sys.stderr.write(f"{said}\n")  # captured: `-rP` shows what a test that passes has hit
    assert "Traceback" not in said
    if draw.action == "trial":
        require_a_sound_record(scene.record, code, said)
    repair(draw, place, said)
    residue.wait_for_nothing_more(before, place)
    if draw.action != "trial":
        down_all(place)
        assert [path.name for path in place.iterdir()] == [states.LOCK], said


def require_a_sound_record(folder: Path, code: int, said: str) -> None:
    """One that ended by itself has judged its own record; one that was ended need not have one."""
    if code in (0, 3):
        verdict = judge(load_record(folder))
        assert (verdict.outcome is Outcome.RUNTIME_ERROR) == (code == 3), said


def repair(draw: Draw, state: Path, said: str) -> None:
    """Do what was drawn, then remove the cells that are there."""
    if draw.repair == ("up",):
        done = faultyard("up", state=state, timeout_s=600)
        # One that still runs is not touched: its `up` was killed, or a session in it.
        alive = "is there; `faultyard down main` first" in done.stderr
        assert alive or done.returncode == 0, f"{done.stderr}\n{said}"
    if draw.repair == ("down", "--all"):
        down_all(state)
    for name in cells.names(state) or [""]:
        done = faultyard("down", *filter(None, [name]), state=state, timeout_s=300)
        assert done.returncode == 0, f"{done.stderr}\n{said}"


def down_all(state: Path) -> None:
    done = faultyard("down", "--all", state=state, timeout_s=300)
    assert done.returncode == 0, done.stderr
