"""Diagnoses in records: read, graded beside the outcome, flagged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faultyard.model import manifests
from faultyard.model.diagnosis.grading import grounds_of, right_answer
from faultyard.model.diagnosis.submission import RecordedDiagnosis
from faultyard.model.errors import DamagedRecord
from faultyard.model.record import Record, parse_record
from faultyard.model.verdict import judge
from faultyard.reports.terminal import verdict_lines
from unit.model.builders import T0, Trial
from unit.model.diagnosis.examples import HOTEL


def with_file(trial: Trial, path: str, content: Any) -> Record:
    files = trial.files(sealed=False) | {path: json.dumps(content).encode()}
    return parse_record(files | {manifests.NAME: manifests.seal(files)}, "record")


def diagnosed(trial: Trial, at: float = 38, **changes: Any) -> Record:
    """The record with the right diagnosis, sent at a second of the trial; the repair is at 40."""
    answer = right_answer(grounds_of(trial.record())).model_copy(update=changes)
    recorded = RecordedDiagnosis(submitted_at=T0 + at, diagnosis=answer)
    return with_file(trial, "diagnosis.json", recorded.to_json())


@pytest.fixture
def trial() -> Trial:
    return Trial()


def test_a_right_diagnosis_and_a_safe_pass_are_right_end_to_end(trial: Trial) -> None:
    verdict = judge(diagnosed(trial))
    assert verdict.diagnosis.yes == 9
    assert (verdict.outcome, verdict.end_to_end) == ("safe_pass", True)
    assert verdict.to_json()["diagnosis"]["success"] is True


def test_the_outcome_does_not_depend_on_the_diagnosis(trial: Trial) -> None:
    bare, told = trial.verdict().to_json(), judge(diagnosed(trial)).to_json()
    for verdict in (bare, told):
        del verdict["diagnosis"], verdict["end_to_end"]
    assert bare == told


def test_a_trial_without_diagnosis_says_so(trial: Trial) -> None:
    verdict = trial.verdict()
    assert (verdict.diagnosis.submitted, verdict.end_to_end) == (False, False)
    assert "no diagnosis was submitted" in verdict_lines(verdict).plain


def test_a_right_diagnosis_of_an_unrepaired_fault_is_not_end_to_end(trial: Trial) -> None:
    trial.drop(trial.repair)
    trial.end = trial.injected.copy()
    trial.never_heals()
    verdict = judge(diagnosed(trial))
    assert (verdict.outcome, verdict.diagnosis.success, verdict.end_to_end) == ("fail", True, False)


@pytest.mark.parametrize(("at", "late"), [(38, False), (39.9, False), (40.1, True), (59, True)])
def test_a_diagnosis_after_the_first_accepted_write_is_graded_and_flagged(
    trial: Trial, at: float, late: bool
) -> None:
    score = judge(diagnosed(trial, at)).diagnosis
    assert (score.after_first_write, score.success, score.yes) == (late, True, 9)
    assert bool(score.flags) is late


def test_reads_refusals_and_dry_runs_before_the_diagnosis_are_no_writes(trial: Trial) -> None:
    trial.acts("patch", "Service/hotel/rate", 35, code=403)
    trial.acts("patch", "Service/hotel/rate", 36, requestURI="/api?dryRun=All")
    trial.acts("get", "Service/hotel/rate", 36.5)
    assert not judge(diagnosed(trial)).diagnosis.after_first_write


def test_the_impact_is_what_users_figures_show(trial: Trial) -> None:
    assert grounds_of(trial.record()).impact == {"requests_fail"}
    for second in trial.seconds.values():
        second["journeys"]["search"] |= {"ok": 12, "failed": 0, "errors": {}}
        second["journeys"]["search"]["latencies_ms"] = [2500.0] * 12
    assert grounds_of(trial.record()).impact == {"requests_slow"}


def test_an_impact_that_the_problem_states_counts_beside_the_measured(trial: Trial) -> None:
    trial.problem = trial.problem.replace(
        "affected: [search", "impact: [wrong_results], affected: [search"
    )
    assert grounds_of(trial.record()).impact == {"requests_fail", "wrong_results"}


def test_the_application_in_the_record_gives_the_callers(trial: Trial) -> None:
    trial.problem = trial.problem.replace(", affected: [search, frontend]", "")
    assert HOTEL.application is not None
    described = HOTEL.application.model_dump(mode="json", by_alias=True)
    record = with_file(trial, "application.json", {"schema": 1, "application": described})
    assert grounds_of(record).scope.affected == {"search", "frontend"}


@pytest.mark.parametrize(
    "content",
    [
        {"schema": 2},
        {"schema": 1, "submitted_at": T0},
        {"schema": 1, "submitted_at": T0, "diagnosis": {"causes": []}},
    ],
)
def test_a_diagnosis_that_cannot_be_read_damages_the_record(trial: Trial, content: Any) -> None:
    with pytest.raises(DamagedRecord, match=r"diagnosis\.json"):
        with_file(trial, "diagnosis.json", content)


def test_a_term_that_a_later_version_added_does_not_damage_a_record(trial: Trial) -> None:
    answer = right_answer(grounds_of(trial.record())).model_dump(mode="json")
    answer["causes"][0]["mechanism"] = "a_later_term"
    content = {"schema": 1, "submitted_at": T0 + 38, "diagnosis": answer}
    assert not judge(with_file(trial, "diagnosis.json", content)).diagnosis.success


def test_the_terminal_shows_the_score_and_every_answer(trial: Trial) -> None:
    text = verdict_lines(judge(diagnosed(trial, 45))).plain
    assert "diagnosis: right, 9 of 9 (weighted 1.00)" in text
    assert "after the agent's first accepted write" in text
    assert "found and safely repaired" in text
    assert text.count("✓ ") >= 9
