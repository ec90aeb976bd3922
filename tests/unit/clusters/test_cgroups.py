"""Cgroups of version 2, on a hierarchy of it without controllers, which any kernel can mount."""

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make cgroups")


@pytest.fixture
def name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A name for a cgroup on a host with version 2 alone."""
    hierarchy = tmp_path / "hierarchy"
    hierarchy.mkdir()
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", hierarchy], check=True)
    monkeypatch.setattr(cgroups, "MOUNT", hierarchy)
    chosen = f"unified-{uuid.uuid4().hex}"
    try:
        yield chosen
    finally:
        try:
            cgroups.kill(chosen)
            cgroups.remove(chosen)
        finally:
            subprocess.run(["umount", hierarchy], check=True)


def started_in(path: str) -> subprocess.Popen[bytes]:
    """A process that has joined the cgroup."""
    script = f"{cgroups.join_script(path)} echo joined; exec sleep 60"
    process = subprocess.Popen(["sh", "-ec", script], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"joined\n"
    return process


def place_of(process: subprocess.Popen[bytes]) -> str:
    lines = Path(f"/proc/{process.pid}/cgroup").read_text().splitlines()
    return next(line for line in lines if line.startswith("0::")).removeprefix("0::/")


def test_processes_of_a_cgroup_are_beside_those_below_it(name: str) -> None:
    cgroups.create(name)
    cgroups.create(f"{name}/node")
    with started_in(name) as upper, started_in(f"{name}/node") as lower:
        assert place_of(upper) == f"{name}/own"
        assert place_of(lower) == f"{name}/node/own"
        assert cgroups.processes(name) == {upper.pid, lower.pid}
        assert cgroups.processes(f"{name}/node") == {lower.pid}
        cgroups.kill(name)
        assert (upper.wait(), lower.wait()) == (-9, -9)


def test_a_machine_has_a_cgroup_that_it_shares_with_nothing(name: str) -> None:
    cgroups.create(name)
    machine = cgroups.create_for_machine(name)
    with started_in(machine) as process:
        assert place_of(process) == f"{name}/machine"
        assert cgroups.processes(name) == {process.pid}
        process.kill()
    assert cgroups.machine_folder(name).is_dir()


def test_removing_a_cgroup_removes_all_below_it(name: str) -> None:
    cgroups.create(f"{name}/node")
    cgroups.create_for_machine(f"{name}/node")
    assert (cgroups.MOUNT / name / "node/machine").is_dir()
    cgroups.remove(name)
    assert not (cgroups.MOUNT / name).exists()


@pytest.mark.skipif(cgroups.unified(), reason="this host has cgroup v2")
def test_under_version_1_a_machine_is_where_its_cgroup_is() -> None:
    assert cgroups.create_for_machine("cell/node") == "cell/node"
    assert cgroups.machine_folder("cell/node") == cgroups.MOUNT / "systemd/cell/node"
