"""Who brings up a cell of a name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from faultyard.clusters.embedded import claims
from faultyard.clusters.errors import Refused

HOLDER = """
import sys
from pathlib import Path
from faultyard.clusters.embedded import claims
with claims.claimed(Path(sys.argv[1]), sys.exit):
    print("held", flush=True)
    input()
"""


def test_what_an_earlier_one_left_goes_first(tmp_path: Path) -> None:
    folder = tmp_path / "main"
    folder.mkdir()
    (folder / "cell.json").touch()
    with claims.claimed(folder, lambda: shutil.rmtree(folder)):
        assert list(folder.iterdir()) == []
        (folder / "log").touch()
    assert [path.name for path in folder.iterdir()] == ["log"]


def test_nothing_is_cleared_where_nothing_is(tmp_path: Path) -> None:
    cleared: list[None] = []
    with claims.claimed(tmp_path / "main", lambda: cleared.append(None)):
        pass
    assert cleared == []


def test_a_folder_in_which_nothing_was_made_goes_again(tmp_path: Path) -> None:
    with (
        pytest.raises(Refused, match="no room"),
        claims.claimed(tmp_path / "main", lambda: None),
    ):
        raise Refused("no room")
    assert list(tmp_path.iterdir()) == []


def test_while_one_holds_it_another_is_refused_and_after_its_death_not(tmp_path: Path) -> None:
    folder = tmp_path / "main"
    cleared: list[None] = []
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        (folder / "cell.json").touch()
        with (
            pytest.raises(Refused, match="somebody is bringing up a cell named main"),
            claims.claimed(folder, lambda: cleared.append(None)),
        ):
            pass
        assert cleared == []
        holder.kill()
    with claims.claimed(folder, lambda: cleared.append(None)):
        pass
    assert cleared == [None]
