"""The verdict goes before the cell, and its thread is as it was afterwards."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator

import pytest

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.trials import priority

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make cgroups")


@pytest.fixture
def cell() -> Iterator[Cell]:
    """One that has only its cgroup."""
    made = Cell(f"unit-{secrets.token_hex(3)}")
    cgroups.create(made.cgroup)
    cgroups.prefer(made.cgroup)
    yield made
    cgroups.remove(made.cgroup)


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def of_session() -> int:
    return int(priority.AUTOGROUP.read_text().split()[-1])


def weight(cell: Cell) -> int:
    if cgroups.unified():
        return int((cgroups.MOUNT / cell.cgroup / "cpu.weight").read_text())
    return int((cgroups.MOUNT / "cpu" / cell.cgroup / "cpu.shares").read_text())


@pytest.mark.skipif(not priority.AUTOGROUP.exists(), reason="this kernel has no autogroups")
def test_the_verdict_goes_first_and_things_are_as_before_then() -> None:
    usual, session = niceness(), of_session()
    with priority.first():
        assert niceness() == max(-20, usual - priority.STEPS)
        assert of_session() == max(-20, session - priority.STEPS)
    assert niceness() == usual
    assert of_session() == session


def test_a_cell_that_yields_counts_as_four_processes_instead_of_sixteen(cell: Cell) -> None:
    preferred = weight(cell)
    priority.yields(cell)
    assert weight(cell) == preferred // 4


def test_a_cell_that_is_gone_is_no_error() -> None:
    priority.yields(Cell("unit-gone"))
