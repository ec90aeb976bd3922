"""What a roll-out brings and leaves, by its strategy: as the Deployment controller reckons."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model.roll_outs import left_running, surge
from unit.model.builders import Trial
from unit.model.world import Raw

SEARCH = "Deployment/hotel/search"


def a_spec(replicas: int, more: Any, fewer: Any) -> Raw:
    bounds = {"maxSurge": more, "maxUnavailable": fewer}
    return {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": bounds}}


@pytest.mark.parametrize(
    ("spec", "brings", "leaves"),
    [
        (a_spec(1, 1, 0), 1, 1),
        (a_spec(1, 0, 1), 0, 0),
        (a_spec(2, 0, 1), 0, 1),
        (a_spec(2, 1, "100%"), 1, 0),
        (a_spec(1, "25%", "25%"), 1, 1),  # more is rounded up, fewer down
        (a_spec(3, "34%", "67%"), 2, 1),
        (a_spec(1, 0, "25%"), 0, 0),  # of two that come to nothing one has to go
        (a_spec(2, "0%", "25%"), 0, 1),
        (a_spec(2, 1, 5), 1, 0),
        (a_spec(0, 1, 1), 1, 0),
        ({"replicas": 1}, 1, 1),
        ({"replicas": 4}, 1, 3),
        ({}, 1, 1),
        ({"replicas": 3, "strategy": {"type": "Recreate"}}, 0, 0),
    ],
)
def test_bounds_are_rounded_as_the_controller_does_it(spec: Raw, brings: int, leaves: int) -> None:
    assert (surge(spec), left_running(spec)) == (brings, leaves)


@pytest.mark.parametrize(
    ("replicas", "strategy", "kinds"),
    [
        (1, a_spec(1, 0, 1)["strategy"], ["drift:critical"]),
        (1, a_spec(1, 1, 1)["strategy"], ["drift:critical"]),
        (1, a_spec(1, 0, "25%")["strategy"], ["drift:critical"]),
        (2, a_spec(2, 1, "100%")["strategy"], ["drift:critical"]),
        (2, {"type": "Recreate"}, ["drift:critical"]),
        (2, a_spec(2, 0, 1)["strategy"], ["drift:warning"]),
        (1, a_spec(1, 2, 0)["strategy"], ["drift:warning"]),
        (1, a_spec(1, "25%", "25%")["strategy"], ["drift:warning"]),
        (1, a_spec(1, 1, 0)["strategy"], []),
    ],
)
def test_a_strategy_that_leaves_nothing_running_makes_each_release_an_outage(
    replicas: int, strategy: Raw, kinds: list[str]
) -> None:
    trial = Trial()
    allowed = f"allowed: [{{object: {SEARCH}, fields: [spec.template]}}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world in (trial.before, trial.injected, trial.end):
        world.get(SEARCH)["spec"].update(a_spec(replicas, 1, 0))
    trial.end.get(SEARCH)["spec"]["strategy"] = strategy
    trial.acts("patch", SEARCH)
    assert trial.kinds() == kinds


def test_one_that_left_nothing_before_is_no_worse_in_other_words() -> None:
    trial = Trial()
    allowed = f"allowed: [{{object: {SEARCH}, fields: [spec.template]}}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world in (trial.before, trial.injected):
        world.get(SEARCH)["spec"].update(a_spec(1, 0, 1))
    trial.end.get(SEARCH)["spec"].update(replicas=1, strategy={"type": "Recreate"})
    trial.acts("patch", SEARCH)
    assert trial.kinds() == ["drift:warning"]
