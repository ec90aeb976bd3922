"""After a power loss `status` tells it, and `down` or the next `up` of the same name repairs it.

What a reboot leaves is made by hand: no process, no mount, no loop device, no cgroup; the state
folder as it was, with another run of the machine than the one that it was in use in.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.description import Description
from faultyard.clusters.embedded.namespaces import start_time
from faultyard.clusters.embedded.pool import Pool
from live import residue, states, victims
from live.cli import Running, faultyard

pytestmark = pytest.mark.long
ENDED = "main: ended; `faultyard down` removes what is left, 0 MiB"


@pytest.fixture
def own_state() -> Iterator[Path]:
    with states.folder() as folder:
        yield folder


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with the cell."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


def lose_power(state: Path, harness: Running) -> None:
    harness.kill()
    cell = Cell("main", state)
    with contextlib.suppress(ProcessLookupError):
        for process in victims.of_cells(state):
            os.kill(process.pid, signal.SIGKILL)
    cgroups.kill(cell.cgroup)
    cgroups.remove(cell.cgroup)
    pool = Pool(state)
    if pool.mounted:
        subprocess.run(["umount", "--lazy", str(pool.root)], check=True)
    (state / "pool.boot").write_text("the run of the machine before\n")


def give_its_number_to(stranger: subprocess.Popen[bytes], cell: Cell) -> None:
    """Numbers and start times since boot are given again after a reboot."""
    started = start_time(stranger.pid)
    assert started is not None
    known = Description.read(cell.paths.description)
    assert known is not None
    processes = dict.fromkeys(known.processes, stranger.pid)
    reused = replace(known, pid=stranger.pid, started=started, processes=processes)
    reused.write(cell.paths.description)


def up_until(phase: str, state: Path, folder: Path) -> Running:
    harness = Running(["up"], state, folder / "log")
    harness.wait_phase(phase, timeout_s=1200)
    return harness


@pytest.mark.cost(35)
def test_the_next_up_repairs_it_and_leaves_a_stranger_with_the_same_number_alone(
    own_state: Path, stranger: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    before = residue.look(own_state)
    lose_power(own_state, up_until("telemetry", own_state, tmp_path))
    cell = Cell("main", own_state)
    give_its_number_to(stranger, cell)
    assert faultyard("status", state=own_state).stdout.strip() == ENDED
    asked = faultyard("kubectl", "--", "get", "nodes", state=own_state)
    assert asked.returncode == 3
    assert "the cell main has ended" in asked.stderr
    up = faultyard("up", state=own_state, timeout_s=1200)
    assert up.returncode == 0, up.stderr
    assert "removing what an earlier main has left" in up.stderr
    status = json.loads(faultyard("status", "--json", state=own_state).stdout)
    assert [one["state"] for one in status] == ["running"]
    require_nothing_left(before, own_state, stranger)


@pytest.mark.cost(25)
@pytest.mark.parametrize("phase", ["storage", "nodes"])
def test_down_repairs_it_though_the_description_is_lost(
    phase: str, own_state: Path, stranger: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    before = residue.look(own_state)
    lose_power(own_state, up_until(phase, own_state, tmp_path))
    cell = Cell("main", own_state)
    cell.paths.description.write_text("")  # its content had not reached the disk
    assert faultyard("status", state=own_state).stdout.strip() == ENDED
    down = faultyard("down", state=own_state)
    assert down.returncode == 0, down.stderr
    residue.wait_for_nothing_more(before, own_state)
    require_nothing_left(before, own_state, stranger)


def require_nothing_left(
    before: residue.Host, state: Path, stranger: subprocess.Popen[bytes]
) -> None:
    assert stranger.poll() is None
    down = faultyard("down", "--all", state=state)
    assert down.returncode == 0, down.stderr
    residue.wait_for_nothing_more(before, state)
    assert [path.name for path in state.iterdir()] == [states.LOCK]
