"""State folders are told apart."""

from __future__ import annotations

from pathlib import Path

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.cell import Cell


def test_the_roots_of_two_file_systems_are_two_state_folders() -> None:
    # Of one kind, a file system's root has the same inode wherever it is.
    first, second = Path("/proc"), Path("/sys")
    assert first.stat().st_ino == second.stat().st_ino
    assert layout.mark(first) != layout.mark(second)


def test_two_folders_may_have_cells_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = Cell("main", tmp_path / "a"), Cell("main", tmp_path / "b")
    assert one.cgroup != other.cgroup
    assert one.cgroup == Cell("main", tmp_path / "a").cgroup
