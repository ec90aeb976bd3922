"""Who is hit, and when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from live import stepped, victims
from live.residue import Process
from live.victims import Draw

TEST = Path(__file__)


def process(pid: int, command: str) -> Process:
    return Process(pid, pid, "S", 1, "x", command, "")


HARNESS = [process(1, "/usr/bin/python3 -m faultyard up"), process(2, "setpriv -- /bin/cp -a x y")]
CELL = [process(7, "/k/kube kube-apiserver --a=b"), process(8, "pause"), process(9, "pause")]


def test_a_draw_depends_on_its_seed_alone() -> None:
    assert victims.draw(7, trials=True) == victims.draw(7, trials=True)
    drawn = {str(victims.draw(seed, trials=True)) for seed in range(50)}
    assert len(drawn) == 50


def test_many_draws_reach_every_phase_side_signal_and_repair() -> None:
    drawn = [victims.draw(seed, trials=True) for seed in range(1000)]
    assert {d.phase for d in drawn if d.action == "up"} == set(victims.UP)
    assert {d.phase for d in drawn if d.action == "trial"} == set(victims.TRIAL)
    assert {d.phase for d in drawn if d.action == "template"} == set(victims.TEMPLATE)
    assert {d.act for d in drawn if d.action == "down"} == set(victims.DOWN)
    assert {d.signal for d in drawn} == set(victims.SIGNALS)
    assert {d.repair for d in drawn} == set(victims.REPAIRS)
    assert {d.side for d in drawn} == set(victims.SIDES)


def test_a_bare_draw_is_in_no_trial() -> None:
    assert {victims.draw(seed, trials=False).action for seed in range(100)} == {
        "up",
        "session",
        "down",
    }


def drawn(side: str, seed: int = 1) -> Draw:
    return Draw(seed, "up", "nodes", stepped.ANY, 0, side, "SIGKILL", ("down",))


def test_the_victim_is_of_the_drawn_side_and_of_the_harness_where_there_is_no_cell() -> None:
    assert drawn("cell").victim(HARNESS, CELL) in CELL
    assert drawn("harness").victim(HARNESS, CELL) in HARNESS
    assert drawn("cell").victim(HARNESS, []) in HARNESS


def test_the_same_kind_is_hit_whatever_else_runs() -> None:
    chosen = victims.kind(drawn("cell").victim(HARNESS, CELL))
    others = [process(p.pid + 100, p.command) for p in CELL if victims.kind(p) == chosen]
    assert victims.kind(drawn("cell").victim(HARNESS, others)) == chosen


def test_over_many_seeds_every_kind_is_hit() -> None:
    hit = {victims.kind(drawn("cell", seed).victim(HARNESS, CELL)) for seed in range(50)}
    assert hit == {"kube-apiserver", "pause"}


def test_the_harness_is_what_descends_from_it() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 1000 & echo; wait"], stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        found = victims.of_harness(shell.pid)
        for one in found:
            os.kill(one.pid, signal.SIGKILL)
    assert [victims.kind(one) for one in found][1:] == ["sleep"]


ACTS = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from live.stepped import Stepper
log, phase, act, count = sys.argv[2:]
sys.addaudithook(Stepper(Path(log), phase, (act,), int(count)).hook)
for number in range(3):
    Path(log).open("a").write(f"   1.0 s  phase {number}\\n")
    for part in "ab":
        os.mkdir(f"{log}-{number}{part}")
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").touch()
    return tmp_path / "log"


def stopped(log: Path, phase: str, count: int) -> Iterator[str]:
    """What a program has done when it stops itself, and then when it has gone on to its end."""
    argv = [sys.executable, "-W", "ignore", "-c", ACTS, str(TEST.parents[2])]
    with subprocess.Popen([*argv, str(log), phase, "os.mkdir", str(count)]) as program:
        os.waitid(os.P_PID, program.pid, os.WSTOPPED)
        yield made(log)
        program.send_signal(signal.SIGCONT)
    yield made(log)


def made(log: Path) -> str:
    return " ".join(sorted(p.name.removeprefix("log-") for p in log.parent.glob("log-*")))


@pytest.mark.parametrize(
    ("phase", "count", "expected"),
    [
        ("", 0, ""),
        ("", 3, "0a 0b 1a"),
        ("phase 1", 0, "0a 0b"),
        ("phase 1", 1, "0a 0b 1a"),
        ("phase 1", 99, "0a 0b 1a 1b"),  # at the latest when the phase is over
    ],
)
def test_a_program_stops_before_the_chosen_act(
    log: Path, phase: str, count: int, expected: str
) -> None:
    assert list(stopped(log, phase, count)) == [expected, "0a 0b 1a 1b 2a 2b"]
