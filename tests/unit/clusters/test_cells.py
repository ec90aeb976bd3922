"""What is seen of cells that do not run, and what a cell is given that others do not change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cells, cgroups, layout, limits, registry, taking
from faultyard.clusters.errors import UnknownName


def test_cells_are_listed_by_name_whether_they_run_or_not(tmp_path: Path) -> None:
    assert cells.names(tmp_path) == []
    for name in ("main", "a"):
        (tmp_path / "cells" / name).mkdir(parents=True)
    assert cells.names(tmp_path) == ["a", "main"]


def test_a_cell_runs_as_long_as_it_has_processes_of_this_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("main", "left", "run-1"):
        (tmp_path / "cells" / name).mkdir(parents=True)
    mark = layout.mark(tmp_path)
    alive = {f"cell-main-{mark}": {7}, f"cell-run-1-{mark}": {8, 9}, "cell-left-another": {10}}
    monkeypatch.setattr(cgroups, "processes", lambda path: alive.get(path, set()))
    assert cells.running(tmp_path) == ["main", "run-1"]
    assert cells.running(tmp_path / "nothing") == []


def test_a_cell_of_which_only_files_are_left_has_ended(tmp_path: Path) -> None:
    (tmp_path / "cells/main").mkdir(parents=True)
    seen = cells.status("main", tmp_path)
    assert seen.state.startswith("ended; `faultyard down` removes")
    assert (seen.nodes, seen.processes, seen.memory_mib) == ([], {}, 0.0)
    with pytest.raises(UnknownName, match="no cell named other"):
        cells.status("other", tmp_path)


def test_memory_of_a_process_is_read_and_one_that_has_ended_has_none() -> None:
    assert 1 < cells._resident_mib(os.getpid()) < 100_000
    assert cells._resident_mib(2**22 + 1) == 0.0


@pytest.mark.parametrize(("before", "after"), [("128\n", "1024\n"), ("8192\n", "8192\n")])
def test_a_limit_of_the_host_is_raised_and_never_lowered(
    before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "max_user_instances"
    file.write_text(before)
    monkeypatch.setattr(limits, "INSTANCES", file)
    limits.lift()
    assert file.read_text() == after


def test_a_host_that_lets_nobody_raise_it_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "INSTANCES", tmp_path / "none")
    limits.lift()
    assert not list(tmp_path.iterdir())


def test_nobody_can_write_to_the_registry(tmp_path: Path) -> None:
    storage = registry.configuration(tmp_path)["storage"]
    assert storage["maintenance"]["readonly"] == {"enabled": True}
    assert storage["filesystem"] == {"rootdirectory": str(tmp_path)}


def test_a_folder_is_emptied_and_what_links_in_it_lead_to_stays(tmp_path: Path) -> None:
    logs, elsewhere = tmp_path / "pods", tmp_path / "elsewhere"
    (logs / "pod/container").mkdir(parents=True)
    (logs / "pod/container/0.log").write_text("line")
    (logs / "file").write_text("")
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("")
    (logs / "link").symlink_to(elsewhere)
    taking._empty(logs)
    assert list(logs.iterdir()) == []
    assert (elsewhere / "kept").exists()
    taking._empty(tmp_path / "nothing")
