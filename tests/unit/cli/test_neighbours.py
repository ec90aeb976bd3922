"""What is said of cells that run beside a trial."""

from __future__ import annotations

import pytest

from faultyard.cli.neighbours import Neighbours
from faultyard.clusters.embedded import cells


def test_cells_beside_a_trial_are_told_by_name_in_a_line_and_again_once_there_are_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there: list[str] = []
    monkeypatch.setattr(cells, "running", lambda: list(there))
    neighbours = Neighbours()
    neighbours.warn()
    assert capsys.readouterr().err == ""
    there += ["main", "run-1a2b3c"]
    neighbours.warn()
    neighbours.warn()
    said = capsys.readouterr()
    assert said.err == (
        "warning: other cells run on this machine: main, run-1a2b3c. Verdicts depend on timing:"
        " beside other work a trial may fail, or end without a result, that alone would not\n"
    )
    assert said.out == ""
    there.remove("main")
    neighbours.warn()
    assert "another cell runs on this machine: run-1a2b3c." in capsys.readouterr().err
    there.clear()
    neighbours.warn()
    assert capsys.readouterr().err == ""
