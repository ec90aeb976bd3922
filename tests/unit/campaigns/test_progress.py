"""How far a validation is, and how long it takes still."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from faultyard.campaigns import validation
from faultyard.campaigns.progress import Progress
from faultyard.model.predicates import State
from faultyard.model.validity import ControlRow
from faultyard.model.vocabulary import Outcome
from faultyard.trials import problems, verdicts
from unit.model.builders import Trial, written
from unit.model.test_validity import a_row
from unit.trials.rows import a_row as a_trial

NAME = "hotel/wrong-target-port"
PROBLEM = problems.find(NAME)


def plan(folder: Path, agents: list[str], seeds: int = 1) -> validation.Plan:
    return validation.plans([PROBLEM], agents, range(1, seeds + 1), folder)[0]


def earlier(agent: str, duration_s: float, problem: str = NAME, **parts: object) -> ControlRow:
    return a_row(agent, problem=problem, duration_s=duration_s, **parts)


def ended(agent: str, seed: int, trial: Trial | None = None) -> validation.Row:
    row = a_trial((trial or Trial()).verdict())
    return replace(row, problem=NAME, agent=agent, seed=seed, duration_s=60)


def test_what_is_done_left_and_unexpected_is_told_with_the_time_that_such_trials_took(
    tmp_path: Path,
) -> None:
    before = [earlier("fix", 100), earlier("fix", 140), earlier("fix", 900), earlier("noop", 300)]
    progress = Progress([plan(tmp_path, ["fix", "noop"], 2)], before)
    assert progress.left_s == 2 * 140 + 2 * 300
    assert str(progress) == "0 of 4 done, 4 left, 0 unexpected; about 15 min to go"
    failed = Trial()
    failed.never_heals()
    progress.add(ended("fix", 1, failed))
    # It took a minute, and counts with the others.
    assert progress.left_s == 120 + 2 * 300
    assert str(progress) == "1 of 4 done, 3 left, 1 unexpected; about 12 min to go"
    assert progress.to_json() == {
        "done": 1,
        "left": 3,
        "unexpected": 1,
        "no_result": 0,
        "left_s": 720,
    }


def test_an_agent_that_was_never_tried_takes_what_others_took_at_the_problem_or_anywhere(
    tmp_path: Path,
) -> None:
    planned = [plan(tmp_path, ["wrong"])]
    elsewhere = earlier("noop", 50, problem="hotel/other")
    assert Progress(planned, [elsewhere]).left_s == 50
    assert Progress(planned, [elsewhere, earlier("noop", 70)]).left_s == 70
    nothing = Progress(planned, [earlier("noop", 70, got="runtime_error")])
    assert nothing.left_s is None
    assert "not known yet" in str(nothing)


def test_trials_at_once_share_the_time_and_long_ones_are_told_in_hours(tmp_path: Path) -> None:
    planned = [plan(tmp_path, ["fix"], 100)]
    assert Progress(planned, [earlier("fix", 180)], jobs=2).left_s == 9000
    assert str(Progress(planned, [earlier("fix", 180)])).endswith("; 5.0 h to go")


@pytest.mark.parametrize(("outcome", "left_s"), [("fail", 0.0), ("runtime_error", 100.0)])
def test_a_record_with_a_result_takes_no_time_and_one_without_runs_again(
    outcome: str, left_s: float, tmp_path: Path
) -> None:
    planned = plan(tmp_path, ["fix"])
    record = written(planned.record(planned.controls[0], 1), Trial().files())
    verdicts.write(record, replace(Trial().verdict(), outcome=Outcome(outcome)))
    assert Progress([planned], [earlier("fix", 100)]).left_s == left_s


def test_a_record_that_fails_only_by_a_check_nobody_could_evaluate_runs_again(
    tmp_path: Path,
) -> None:
    planned = plan(tmp_path, ["fix"])
    record = written(planned.record(planned.controls[0], 1), Trial().files())
    given = Trial().verdict()
    unknown = replace(given.checks[0], state=State.ERROR)
    others = [replace(check, state=State.PASS) for check in given.checks[1:]]
    verdicts.write(record, replace(given, outcome=Outcome.FAIL, checks=(unknown, *others)))
    assert Progress([planned], [earlier("fix", 100)]).left_s == 100


def test_a_trial_without_a_result_is_told_apart_and_at_the_end_nothing_is_estimated(
    tmp_path: Path,
) -> None:
    ours = Trial()
    ours.meta["errors"] = [{"phase": "evidence", "message": "the registry went away"}]
    progress = Progress([plan(tmp_path, ["fix"])], [earlier("fix", 100)])
    progress.add(ended("fix", 1, ours))
    assert str(progress) == "1 of 1 done, 0 left, 0 unexpected, 1 without a result"
