"""What is kept about a cell, and who its first process is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.description import Description
from faultyard.clusters.embedded.namespaces import Namespaces, start_time
from faultyard.clusters.errors import UnknownName

KNOWN = Description("main", 2, 7, 9, "/kube", {"etcd": 3})


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    KNOWN.write(tmp_path / "cell.json")
    assert Description.read(tmp_path / "cell.json") == KNOWN
    assert [path.name for path in tmp_path.iterdir()] == ["cell.json"]


@pytest.mark.parametrize("content", ["", '{"name": "main"', "[1]", '{"name": "main"}'])
def test_what_a_power_loss_has_damaged_counts_as_none(tmp_path: Path, content: str) -> None:
    cell = Cell("main", tmp_path)
    cell.paths.folder.mkdir(parents=True)
    cell.paths.description.write_text(content)
    with pytest.raises(UnknownName, match="no cell named main is up"):
        _ = cell.description


def test_a_stranger_with_the_first_processs_number_and_start_time_is_not_the_cell() -> None:
    started = start_time(os.getpid())
    assert started is not None
    own = Path("/proc/self/cgroup").read_text().splitlines()[0].split(":", 2)[2].strip("/")
    if own:
        assert Namespaces(os.getpid(), started, own).alive
    assert not Namespaces(os.getpid(), started, "cell-main-1f").alive
