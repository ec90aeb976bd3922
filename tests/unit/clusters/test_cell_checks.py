import os
from pathlib import Path

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.errors import Refused

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may bring up a cell")


def test_the_first_cell_of_a_machine_needs_no_state_folder(tmp_path: Path) -> None:
    state = tmp_path / "not" / "there"
    Cell("main", state).check(2)
    assert state.is_dir()


def test_a_cell_of_no_nodes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="0 nodes"):
        Cell("main", tmp_path).check(0)
