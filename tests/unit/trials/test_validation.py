"""Which control trials are planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.campaigns import validation
from faultyard.clusters.errors import UnknownName
from faultyard.trials import problems
from unit.model.builders import Trial, written

ALL = [problems.find(name) for name in problems.names()]


def test_every_control_agent_of_every_problem_is_planned(tmp_path: Path) -> None:
    plans = validation.plans(ALL, (), [1, 2], tmp_path)
    assert [plan.problem.problem.name for plan in plans] == problems.names()
    assert all(list(plan.controls) == plan.problem.problem.controls for plan in plans)


def test_named_agents_are_taken_where_they_are(tmp_path: Path) -> None:
    plans = validation.plans(ALL, ["wrong-delete-node"], [1], tmp_path)
    assert [(p.problem.problem.name, [c.agent for c in p.controls]) for p in plans] == [
        ("hotel/kubelet-down", ["wrong-delete-node"])
    ]


def test_a_name_that_no_problem_has_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no control agent fixx; there are: .*fix.*noop"):
        validation.plans(ALL, ["fixx"], [1], tmp_path)


def test_records_of_two_problems_lie_apart(tmp_path: Path) -> None:
    places = [plan.place for plan in validation.plans(ALL, ["noop"], [1], tmp_path)]
    assert len(set(places)) == len(ALL)


def test_a_record_with_a_verdict_is_a_result_and_stays(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", Trial().files())
    assert validation.has_result(record)
    assert record.is_dir()


def test_a_record_of_our_own_error_is_put_aside_each_time(tmp_path: Path) -> None:
    ours = Trial()
    ours.meta["errors"] = [{"phase": "evidence", "message": "the registry went away"}]
    for _ in range(2):
        assert not validation.has_result(written(tmp_path / "fix-s1", ours.files()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fix-s1-error-1", "fix-s1-error-2"]


def test_no_record_is_no_result(tmp_path: Path) -> None:
    assert not validation.has_result(tmp_path / "fix-s1")
