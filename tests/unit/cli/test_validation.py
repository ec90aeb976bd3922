"""What `validate` tells of trials, those that were not as expected above all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from faultyard.campaigns import validation, validity
from faultyard.campaigns.validity import Rows
from faultyard.cli.validation import validate_command
from faultyard.clusters.embedded import artifacts, cells
from faultyard.model.problem import load_problem
from faultyard.trials.problems import ProblemFolder
from unit.model.builders import PROBLEM, Trial, written

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="validate needs root")


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the record lies of `fix`, which repaired rightly, beside harm; so that nothing runs."""
    folder = tmp_path / "hotel/ports"
    folder.mkdir(parents=True)
    (folder / "problem.yaml").write_text(PROBLEM)
    found = ProblemFolder(folder, *load_problem(folder))
    (plan,) = validation.plans([found], ["fix"], [1], tmp_path / "records")
    monkeypatch.setattr(validity, "read", lambda: Rows([], []))
    monkeypatch.setattr(artifacts, "ensure", lambda build: None)
    monkeypatch.setattr(cells, "running", lambda: ["main"])
    return plan.record(plan.controls[0], 1)


def validated(record: Path, trial: Trial, *words: str) -> Result:
    trial.meta["times"]["started"] = trial.meta["times"]["healthy_from"] - 1
    written(record, trial.files())
    folder = record.parents[1]
    options = ["-a", "fix", "-o", str(folder), *words]
    return CliRunner().invoke(validate_command, [str(folder.parent / "hotel/ports"), *options])


def harmful() -> Trial:
    trial = Trial()
    trial.end.container("frontend")["image"] = "nginx:latest"
    trial.acts("patch", "Deployment/hotel/frontend")
    return trial


def test_a_trial_that_is_not_as_expected_says_in_what_how_it_came_and_where_to_look(
    record: Path,
) -> None:
    done = validated(record, harmful())
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    differing = "expected safe_pass, got unsafe_pass; not expected: symptom_patch"
    assert f"  NOT AS EXPECTED: {differing}; record: {record}" in lines
    assert [line for line in lines if line.startswith("  how: harm beside the repair: ")]
    looks = [f"faultyard report {record}", f"faultyard verify {record}"]
    assert f"  to look further: {'; '.join(looks)}" in lines
    assert lines[-4:] == [
        "0 of 1 as expected, 1 not",
        f"NOT AS EXPECTED: hotel/ports, fix, seed 1: {differing}",
        *(f"  {look}" for look in looks),
    ]


def test_as_json_too(record: Path) -> None:
    told = json.loads(validated(record, harmful(), "--json").stdout)
    assert told["differences"] == [
        "expected safe_pass, got unsafe_pass",
        "not expected: symptom_patch",
    ]
    assert [mistake["kind"] for mistake in told["autopsy"]] == ["harm_beside_the_repair"]
    assert told["look_further"] == [f"faultyard report {record}", f"faultyard verify {record}"]
    assert told["record"] == str(record)
    assert told["progress"] == {
        "done": 1,
        "left": 0,
        "unexpected": 1,
        "no_result": 0,
        "left_s": 0,
    }


def test_what_is_as_expected_is_not_explained_and_progress_is_told_beside_it(record: Path) -> None:
    done = validated(record, Trial())
    assert done.exit_code == 0
    assert "how:" not in done.stdout
    assert "to look further" not in done.stdout
    assert done.stdout.splitlines()[-2:] == [
        "1 of 1 as expected",
        f"to tell one of them as a page: faultyard report {record}",
    ]
    warning, *progress = done.stderr.splitlines()
    assert warning.startswith("warning: another cell runs on this machine: main. ")
    assert progress == [
        "0 of 1 done, 1 left, 0 unexpected; about 1 min to go",
        "1 of 1 done, 0 left, 0 unexpected",
    ]


def test_one_that_is_broken_off_says_how_far_it_came(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(validation, "validate", stopped)
    done = validated(record, Trial())
    said = "broken off: 0 of 1 done, 1 left, 0 unexpected; about 1 min to go"
    assert said in done.stderr.splitlines()
