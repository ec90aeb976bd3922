"""Cgroups of version 2, on a hierarchy of it without controllers, which any kernel can mount."""

import os
import subprocess
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make cgroups")


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


def test_processes_of_a_cgroup_are_beside_those_below_it(unified: str) -> None:
    cgroups.create(unified)
    cgroups.create(f"{unified}/node")
    with started_in(unified) as upper, started_in(f"{unified}/node") as lower:
        assert place_of(upper) == f"{unified}/own"
        assert place_of(lower) == f"{unified}/node/own"
        assert cgroups.processes(unified) == {upper.pid, lower.pid}
        assert cgroups.processes(f"{unified}/node") == {lower.pid}
        cgroups.kill(unified)
        assert (upper.wait(), lower.wait()) == (-9, -9)


def test_a_machine_has_a_cgroup_that_it_shares_with_nothing(unified: str) -> None:
    cgroups.create(unified)
    machine = cgroups.create_for_machine(unified)
    with started_in(machine) as process:
        assert place_of(process) == f"{unified}/machine"
        assert cgroups.processes(unified) == {process.pid}
        process.kill()
    assert cgroups.machine_folder(unified).is_dir()


def test_removing_a_cgroup_removes_all_below_it(unified: str) -> None:
    cgroups.create(f"{unified}/node")
    cgroups.create_for_machine(f"{unified}/node")
    assert (cgroups.MOUNT / unified / "node/machine").is_dir()
    cgroups.remove(unified)
    assert not (cgroups.MOUNT / unified).exists()


@pytest.mark.skipif(cgroups.unified(), reason="this host has cgroup v2")
def test_under_version_1_a_machine_is_where_its_cgroup_is() -> None:
    assert cgroups.create_for_machine("cell/node") == "cell/node"
    assert cgroups.machine_folder("cell/node") == cgroups.MOUNT / "systemd/cell/node"
