"""On a hierarchy of cgroup version 2, which every kernel can mount beside version 1."""

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import device_programs
from faultyard.clusters.errors import ClusterError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make device nodes")


@pytest.fixture
def cgroup(tmp_path: Path) -> Iterator[Path]:
    hierarchy = tmp_path / "hierarchy"
    hierarchy.mkdir()
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", hierarchy], check=True)
    folder = hierarchy / f"devices-{uuid.uuid4().hex}"
    try:
        folder.mkdir()
        yield folder
    finally:
        folder.rmdir()
        subprocess.run(["umount", hierarchy], check=True)


def opens(cgroup: Path, kind: str, major: int, minor: int, tmp_path: Path) -> bool:
    """Whether a device that was made in the cgroup can be opened in it."""
    node = tmp_path / f"{kind}-{uuid.uuid4().hex}"
    script = f"""
    echo 0 > {cgroup}/cgroup.procs
    mknod {node} {kind} {major} {minor}
    head -c 0 < {node}
    """
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, check=False)
    assert node.exists(), done.stderr  # making it stays allowed
    return done.returncode == 0


def block_device() -> tuple[int, int]:
    """One that can be opened on this host."""
    number = Path("/sys/block/loop0/dev").read_text().split(":")
    return int(number[0]), int(number[1])


def test_block_devices_are_closed_to_a_denied_cgroup_and_open_before(
    cgroup: Path, tmp_path: Path
) -> None:
    assert opens(cgroup, "b", *block_device(), tmp_path)
    device_programs.deny_block_devices(cgroup)
    assert not opens(cgroup, "b", *block_device(), tmp_path)


def test_other_devices_stay_open_to_it(cgroup: Path, tmp_path: Path) -> None:
    device_programs.deny_block_devices(cgroup)
    assert opens(cgroup, "c", 1, 3, tmp_path)


def test_a_folder_that_is_no_cgroup_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="block devices cannot be denied"):
        device_programs.deny_block_devices(tmp_path)
