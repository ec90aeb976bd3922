"""The verdict goes before the cell, and its thread is as it was afterwards."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.trials import priority

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make cgroups")


ENABLED = Path("/proc/sys/kernel/sched_autogroup_enabled")
OF_A_SESSION = """
from faultyard.trials import priority
def shown(): return priority.AUTOGROUP.read_text().split()[-1]
print(shown())
with priority.first():
    print(shown())
print(shown())
"""


@pytest.fixture
def cell(tmp_path: Path) -> Iterator[Cell]:
    """One that has only its cgroup."""
    made = Cell(f"unit-{secrets.token_hex(3)}", tmp_path)
    cgroups.create(made.cgroup)
    cgroups.prefer(made.cgroup)
    yield made
    cgroups.remove(made.cgroup)


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def of_session() -> int | None:
    """None: this process is in no group of a session, as where an init runs the tests itself."""
    shown = priority.AUTOGROUP.read_text().split()
    return int(shown[-1]) if shown else None


def weight(cell: Cell) -> int:
    if cgroups.unified():
        return int((cgroups.MOUNT / cell.cgroup / "cpu.weight").read_text())
    return int((cgroups.MOUNT / "cpu" / cell.cgroup / "cpu.shares").read_text())


@pytest.mark.skipif(not priority.AUTOGROUP.exists(), reason="this kernel has no autogroups")
def test_the_verdict_goes_first_and_things_are_as_before_then() -> None:
    usual, session = niceness(), of_session()
    with priority.first():
        assert niceness() == max(-20, usual - priority.STEPS)
        if session is not None:
            assert of_session() == max(-20, session - priority.STEPS)
    assert niceness() == usual
    assert of_session() == session


def test_a_process_of_no_session_goes_first_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(priority, "AUTOGROUP", tmp_path / "autogroup")
    priority.AUTOGROUP.write_text("")
    usual = niceness()
    with priority.first():
        assert niceness() == max(-20, usual - priority.STEPS)
    assert niceness() == usual
    assert priority.AUTOGROUP.read_text() == ""


@pytest.mark.skipif(
    not ENABLED.exists() or int(ENABLED.read_text()) == 0, reason="this kernel makes no autogroups"
)
def test_a_session_goes_first_as_a_whole_and_is_as_before_then() -> None:
    """In a session of its own, since only a new one surely has a group."""
    told = subprocess.run(
        [sys.executable, "-c", OF_A_SESSION],
        start_new_session=True, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    before, meanwhile, after = map(int, told)
    assert meanwhile == max(-20, before - priority.STEPS)
    assert after == before


def test_a_cell_that_yields_counts_as_four_processes_instead_of_sixteen(cell: Cell) -> None:
    preferred = weight(cell)
    priority.yields(cell)
    assert weight(cell) == preferred // 4


def test_a_cell_that_is_gone_is_no_error() -> None:
    priority.yields(Cell("unit-gone"))
