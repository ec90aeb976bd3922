"""A cell's namespaces, without a cluster in them."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups, namespaces
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.waiting import wait_for

pytestmark = pytest.mark.cost(3)


@pytest.fixture
def pools(tmp_path: Path) -> Iterator[tuple[Pool, Pool]]:
    """Two state folders' storage: a cell's own, and another one's."""
    made = []
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        made.append(Pool(tmp_path / name))
        made[-1].open()
    try:
        yield made[0], made[1]
    finally:
        for pool in made:
            pool.remove()


@pytest.fixture
def spaces(pools: tuple[Pool, Pool], tmp_path: Path) -> Iterator[namespaces.Namespaces]:
    group = f"test-{uuid.uuid4().hex[:8]}"
    cgroups.create(group)
    try:
        yield namespaces.create(group, "gateway", pools[0].root, tmp_path / "first.log")
    finally:
        cgroups.kill(group)
        cgroups.remove(group)


def mounted_in(spaces: namespaces.Namespaces) -> list[str]:
    return Path(f"/proc/{spaces.pid}/mountinfo").read_text().splitlines()


def test_a_cell_has_its_own_storage_in_sight_and_no_other(
    spaces: namespaces.Namespaces, pools: tuple[Pool, Pool]
) -> None:
    own, other = pools
    if not own.on_btrfs:
        pytest.skip("no btrfs here: storage is a plain folder, and nothing is mounted")
    places = [line.split()[4] for line in mounted_in(spaces)]
    assert str(own.root) in places
    assert str(other.root) not in places


def test_other_storage_can_be_removed_while_a_cell_lives(
    spaces: namespaces.Namespaces, pools: tuple[Pool, Pool]
) -> None:
    other = pools[1]
    number = str(other.image.stat().st_ino)
    other.remove()

    def look() -> tuple[bool | None, str]:
        used = run(["losetup", "--list", "--noheadings", "--output", "BACK-INO"]).stdout.split()
        return (None if number in used else True), f"{used}"

    wait_for("the loop device to go", look, timeout_s=5)
    assert spaces.alive


def test_killing_the_first_process_ends_what_was_started_in_it(
    spaces: namespaces.Namespaces, tmp_path: Path
) -> None:
    spaces.start("sleeper", ["sleep", "1000"], tmp_path / "sleeper.log")
    assert len(cgroups.processes(spaces.cgroup)) > 2
    os.kill(spaces.pid, signal.SIGKILL)

    def look() -> tuple[bool | None, str]:
        left = cgroups.processes(spaces.cgroup)
        return (None if left else True), f"{left}"

    wait_for("its processes to end", look, timeout_s=5)
    assert not spaces.alive
