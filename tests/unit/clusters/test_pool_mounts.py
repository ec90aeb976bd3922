"""Copies of pools' mounts in new mount namespaces."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import pool as pools
from faultyard.clusters.embedded import pool_mounts
from faultyard.clusters.embedded.artifacts.programs import run

pytestmark = pytest.mark.skipif(not pools.btrfs_available(), reason="this kernel has no btrfs")


@pytest.fixture
def images(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A pool, and another file system in an image, both mounted."""
    pool, other = tmp_path / "state/pool", tmp_path / "disk"
    mounted = []
    try:
        for place, image in ((pool, pool.with_suffix(".img")), (other, tmp_path / "image")):
            place.mkdir(parents=True)
            subprocess.run(["truncate", "--size=128M", image], check=True)
            subprocess.run(["mkfs.btrfs", "-q", image], check=True)
            subprocess.run(["mount", "-o", "loop", image, place], check=True)
            mounted.append(place)
        yield pool, other
    finally:
        for place in mounted:
            subprocess.run(["umount", place], check=True)


def places_in(mountinfo: str) -> set[str]:
    return {line.split()[4] for line in mountinfo.splitlines()}


def test_a_build_does_not_keep_a_pool_that_is_unmounted_meanwhile(
    images: tuple[Path, Path], tmp_path: Path
) -> None:
    pool, other = images
    run(["cp", "/proc/self/mountinfo", tmp_path / "seen"], tmp_path / "log")
    places = places_in((tmp_path / "seen").read_text())
    assert str(pool) not in places
    assert str(other) in places  # which may hold the sources, or the cache
    assert pool.is_mount()


def test_a_cell_keeps_its_own_pool_alone(images: tuple[Path, Path]) -> None:
    pool, other = images
    script = f"{pool_mounts.drop_all_but(pool)}; cat /proc/self/mountinfo"
    argv = ["unshare", "--mount", "sh", "-c", script]
    places = places_in(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
    assert str(pool) in places
    assert str(other) not in places
    assert other.is_mount()
