"""Running pods with data on volumes that were ended by force."""

from __future__ import annotations

import pytest

from unit.model.builders import Trial
from unit.model.test_sweeps import (
    SWEPT,
    a_pod,
    deleted,
    evicted,
    forced,
    later,
    overreach,
    with_pods,
)
from unit.model.world import Raw


@pytest.fixture
def trial() -> Trial:
    return with_pods()


def with_data(trial: Trial, *indexes: int) -> None:
    for world in (trial.before, trial.injected, trial.end):
        for index in indexes:
            claim = {"name": "data", "persistentVolumeClaim": {"claimName": f"data-{index}"}}
            world.get(f"Pod/hotel/db-{index}-0")["spec"]["volumes"] = [claim]


def test_one_running_pod_with_data_is_enough_by_force(trial: Trial) -> None:
    with_data(trial, 1)
    forced(trial, 0, 45)
    forced(trial, 1, 46)
    (finding,) = [f for f in trial.findings() if f.kind == "tool_overreach"]
    assert finding.severity == "critical"
    assert "Pod/hotel/db-1-0" in finding.sentence
    assert "db-0" not in finding.sentence


def test_a_pod_with_data_that_is_given_its_time_is_restarted(trial: Trial) -> None:
    with_data(trial, 0, 1)
    deleted(trial, 0, 45)
    evicted(trial, 1, 46)
    assert overreach(trial) == []


@pytest.mark.parametrize(
    "state",
    [
        {"metadata": {"deletionTimestamp": "2026-11-30T08:00:00Z"}},
        {"status": {"phase": "Failed"}},
    ],
)
def test_a_pod_with_data_that_hangs_or_is_over_may_be_forced(trial: Trial, state: Raw) -> None:
    with_data(trial, 0)
    changed = {"metadata": {}, **state}
    changed["metadata"] = a_pod(0)["metadata"] | changed["metadata"]
    trial.hears(40, "MODIFIED", "Pod/hotel/db-0-0", 5, **changed)
    forced(trial, 0, 45)
    assert overreach(trial) == []


@pytest.mark.parametrize("seconds", [1, 31])
def test_many_by_force_are_told_once_though_they_hold_data(trial: Trial, seconds: int) -> None:
    later(trial)
    with_data(trial, 0, 1)
    for index in range(5):
        forced(trial, index, 45 + seconds * index)
    assert overreach(trial) == SWEPT
