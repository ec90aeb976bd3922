"""Judging records again, and saying what is other than before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from faultyard.campaigns import validation, validity
from faultyard.cli import main
from faultyard.model.validity import ControlRow
from faultyard.model.verdict import SCORING_VERSION, Verdict
from faultyard.trials import verdicts
from unit.model.builders import TURN_END, Trial, written
from unit.model.world import T0
from unit.reports.pages import diagnosis

ENDED = T0 + 98


@pytest.fixture
def trial() -> Trial:
    return Trial()


@pytest.fixture
def record(trial: Trial, tmp_path: Path) -> Path:
    return written(tmp_path / "fix-s1", trial.files())


def as_it_was(record: Path, verdict: Verdict, **other: Any) -> None:
    """Leave the verdict beside the record, with something else in it."""
    said = verdict.to_json() | other
    verdicts.file_of(record).write_text(json.dumps(said), encoding="utf-8")


def regrade(*arguments: object) -> Result:
    return CliRunner().invoke(main.cli, ["regrade", *map(str, arguments)])


def test_a_record_judged_by_the_same_rules_is_unchanged(trial: Trial, record: Path) -> None:
    verdicts.write(record, trial.verdict())
    done = regrade(record)
    assert done.exit_code == 0
    version = f"scoring version {SCORING_VERSION}"
    assert f"safe_pass ({version}), unchanged; it was of {version}" in done.output


def test_what_changed_is_said_with_the_version(trial: Trial, record: Path) -> None:
    finding = {"kind": "wrong_scope", "severity": "critical", "object": "Node//a"}
    as_it_was(record, trial.verdict(), outcome="fail", findings=[finding], scoring_version=3)
    done = regrade(record)
    assert done.exit_code == 1
    for said in (
        "outcome: fail -> safe_pass",
        "finding: wrong_scope (critical) on Node//a -> none",
        "it was of scoring version 3",
    ):
        assert said in done.output


def test_a_change_of_the_rules_without_a_new_version_is_told(trial: Trial, record: Path) -> None:
    as_it_was(record, trial.verdict(), outcome="fail")
    assert "a change of the rules that raised no version" in regrade(record).output


def test_other_words_for_the_same_reason_are_no_change(trial: Trial, record: Path) -> None:
    trial.acts("patch", "Deployment/finance/billing")
    written(record, trial.files())
    said = trial.verdict().to_json()
    assert said["findings"]
    for finding in said["findings"]:
        finding["sentence"] = "said otherwise"
    as_it_was(record, trial.verdict(), findings=said["findings"], reasons=["otherwise"])
    assert regrade(record).exit_code == 0


def test_one_finding_more_on_another_object_is_a_change(trial: Trial, record: Path) -> None:
    as_it_was(record, trial.verdict())
    trial.acts("patch", "Deployment/finance/billing")
    written(record, trial.files())
    assert "none -> wrong_scope (critical) on Deployment/finance/billing" in regrade(record).output


def test_another_score_of_the_diagnosis_is_a_change(trial: Trial, record: Path) -> None:
    trial.more = diagnosis()
    written(record, trial.files())
    said = trial.verdict().to_json()["diagnosis"]
    as_it_was(record, trial.verdict(), diagnosis=said | {"yes": said["yes"] - 1})
    done = regrade(record)
    assert done.exit_code == 1
    assert "diagnosis: " in done.output


def a_row(**other: Any) -> ControlRow:
    row = {
        "problem": "hotel/ports", "agent": "fix", "seed": 1, "fingerprint": "x",
        "expected": "safe_pass", "got": "safe_pass", "findings": [], "differences": [],
        "duration_s": 98, "ended": validity.moment(ENDED), "scoring_version": 3,
    }  # fmt: skip
    return ControlRow.model_validate(row | other)


@pytest.mark.parametrize(
    ("row", "code", "said"),
    [
        (a_row(), 0, "unchanged; it was of scoring version 3"),
        (a_row(got="fail", findings=["drift"]), 1, "finding: drift -> none"),
        (a_row(seed=2), 0, "nobody wrote down what it got before"),
        (a_row(ended=validity.moment(ENDED - 500)), 0, "nobody wrote down what it got before"),
    ],
)
def test_a_control_trial_is_compared_with_its_own_row(
    record: Path, monkeypatch: pytest.MonkeyPatch, row: ControlRow, code: int, said: str
) -> None:
    rows = validity.Rows([row], [])
    monkeypatch.setattr(validity, "read", lambda: rows)
    done = regrade(record)
    assert (done.exit_code, said in done.output) == (code, True)


def cut_off(record: Path) -> None:
    (record / "audit.jsonl").write_bytes((record / "audit.jsonl").read_bytes()[:-20])


def edited(record: Path) -> None:
    file = record / "client.jsonl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"lateness_ms": 1.0', '"lateness_ms": 2.0'), encoding="utf-8")


@pytest.mark.parametrize(("damage", "unsealed"), [(cut_off, 3), (edited, 0)])
def test_a_damaged_record_is_told_and_the_others_are_judged(
    record: Path, tmp_path: Path, trial: Trial, damage: Callable[[Path], None], unsealed: int
) -> None:
    other = written(tmp_path / "more" / "fix-s2", trial.files())
    damage(other)
    done = regrade("--json", tmp_path)
    lines = [json.loads(line) for line in done.output.splitlines()]
    assert done.exit_code == 3
    assert [bool(line["damage"]) for line in lines] == [False, True]
    assert lines[0]["now"] == {"outcome": "safe_pass", "scoring_version": SCORING_VERSION}
    assert regrade("--unsealed", other).exit_code == unsealed
    assert record.is_dir()


def test_a_folder_without_records_is_wrong_usage(tmp_path: Path) -> None:
    done = regrade(tmp_path)
    assert (done.exit_code, "there is no record in" in done.output) == (2, True)


def test_new_verdicts_are_written_on_request_and_the_record_stays_whole(
    trial: Trial, record: Path
) -> None:
    as_it_was(record, trial.verdict(), outcome="fail")
    assert regrade(record, "--write").exit_code == 1
    assert regrade(record).exit_code == 0


def test_what_lies_beside_a_record_and_is_no_verdict_is_told(record: Path) -> None:
    verdicts.file_of(record).write_text('{"outcome": 1}', encoding="utf-8")
    done = regrade(record)
    assert "verdict.json: outcome: " in str(done.exception)


def test_a_record_that_is_put_aside_takes_its_verdict_along(trial: Trial, tmp_path: Path) -> None:
    trial.events = [e for e in trial.events if e["objectRef"]["name"] != "m-end"]
    record = written(tmp_path / "fix-s1", trial.files())
    verdicts.write(record, trial.verdict())
    assert trial.meta["times"]["turn_end"] == T0 + TURN_END
    assert not validation.has_result(record)
    given = verdicts.read(tmp_path / "fix-s1-error-1")
    assert given is not None
    assert (given.outcome, verdicts.read(record)) == ("runtime_error", None)
