"""What is said of cells that run beside a trial."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from faultyard.cli import trials
from faultyard.cli.neighbours import Neighbours
from faultyard.clusters.embedded import artifacts, cells


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


@pytest.mark.skipif(os.geteuid() != 0, reason="run needs root")
@pytest.mark.parametrize(("words", "warns"), [([], True), (["--one-of-several"], False)])
def test_a_run_tells_them_before_it_begins_unless_its_validation_knows_them(
    words: list[str], warns: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "running", lambda: ["main"])
    monkeypatch.setattr(artifacts, "ensure", lambda build: None)
    monkeypatch.setattr(trials.Trial, "run", stopped)
    options = ["hotel/wrong-target-port", "-a", "noop", "-o", str(tmp_path / "record"), *words]
    done = CliRunner().invoke(trials.run_command, options)
    assert isinstance(done.exception, StopIteration)
    assert ("warning: another cell runs on this machine: main." in done.stderr) is warns


def stopped(_trial: object) -> None:
    raise StopIteration
