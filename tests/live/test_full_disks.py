"""A full disk, under the pool or in it, is told with what to do, and `down` still removes all.

The state folder lies on a small file system of its own; to fill it takes no room of the host's.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded.pool import Pool
from live import residue, states
from live.cli import Running, faultyard
from live.shared import PROBLEM
from live.stepped import ANY

pytestmark = pytest.mark.long
SIZE_GIB = 9
"""Of the file system; a first cell wants 6 GiB free, and 2 are not given to the pool."""
END_S = 400


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A state folder on a disk of its own."""
    with states.folder() as folder:
        image, state = folder / "disk.img", folder / "state"
        state.mkdir()
        with image.open("wb") as file:
            file.truncate(SIZE_GIB * 2**30)
        run("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=1", str(image))
        run("mount", "-o", "loop", str(image), str(state))
        try:
            yield state
        finally:
            run("umount", str(state))


def run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True)


def fill(folder: Path) -> Path:
    """Take all that is free on a file system, without writing it."""
    file = folder / "fill"
    with file.open("wb") as target:
        step = 2**30
        while step >= 2**12:
            try:
                os.posix_fallocate(target.fileno(), target.seek(0, os.SEEK_END), step)
            except OSError:
                step //= 2
    return file


def stopped_in(
    phase: str, state: Path, folder: Path, arguments: tuple[str, ...] = ("up",)
) -> Running:
    harness = Running(arguments, state, folder / "log", (phase, ANY, 0))
    assert harness.wait_stopped(timeout_s=1200), harness.log.read_text()
    return harness


def go_on(harness: Running) -> tuple[int, str]:
    harness.signal(signal.SIGCONT)
    try:
        return harness.wait_end(END_S), harness.log.read_text()
    finally:
        harness.kill()


def require_nothing_left(before: residue.Host, state: Path, *kept: str) -> None:
    residue.wait_for_nothing_more(before, state)
    down = faultyard("down", "--all", state=state)
    assert down.returncode == 0, down.stderr
    assert {path.name for path in state.iterdir()} == {"lost+found", *kept}


@pytest.mark.cost(120)
@pytest.mark.parametrize("phase", ["storage", "control plane", "nodes"])
def test_a_full_disk_under_the_state_folder(phase: str, small_disk: Path, tmp_path: Path) -> None:
    before = residue.look(small_disk)
    harness = stopped_in(phase, small_disk, tmp_path)
    filled = fill(small_disk)
    code, said = go_on(harness)
    assert code == 3, said
    assert "Traceback" not in said
    assert f"The disk under {small_disk} is full" in said or "has become read-only" in said
    down = faultyard("down", state=small_disk)
    assert down.returncode == 0, down.stderr
    again = faultyard("up", state=small_disk)
    assert again.returncode == 3
    assert "GiB free, a cell needs" in again.stderr
    everything = faultyard("down", "--all", state=small_disk)
    assert everything.returncode == 0, everything.stderr
    filled.unlink()
    require_nothing_left(before, small_disk)


@pytest.mark.cost(90)
@pytest.mark.parametrize("phase", ["control plane", "nodes"])
def test_a_full_pool(phase: str, small_disk: Path, tmp_path: Path) -> None:
    before = residue.look(small_disk)
    harness = stopped_in(phase, small_disk, tmp_path)
    fill(Pool(small_disk).root)
    code, said = go_on(harness)
    assert code == 3, said
    assert "Traceback" not in said
    assert f"The cells' storage {Pool(small_disk).root} is full: end cells with" in said
    down = faultyard("down", "--all", state=small_disk)
    assert down.returncode == 0, down.stderr
    require_nothing_left(before, small_disk)


@pytest.mark.cost(200)
def test_a_trial_on_a_full_pool_is_a_runtime_error_that_says_so(
    small_disk: Path, tmp_path: Path
) -> None:
    before = residue.look(small_disk)
    record = tmp_path / "record"
    arguments = ("run", PROBLEM, "-a", "noop", "-o", str(record))
    harness = stopped_in("waiting for hotel", small_disk, tmp_path, arguments)
    filled = fill(Pool(small_disk).root)
    code, said = go_on(harness)
    assert code == 3, said
    errors = json.loads((record / "trial.json").read_text())["errors"]
    assert "is full: end cells with" in errors[0]["message"]
    assert not filled.exists() or not Pool(small_disk).mounted
    require_nothing_left(before, small_disk)
