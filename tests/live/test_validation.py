"""Every control agent gets the verdict that its problem states, on several seeds.

The records are kept beside the code, so that a trial is only judged again when the rule of the
verdict has changed, and not the problem.
"""

from __future__ import annotations

import pytest

from faultyard.campaigns import validation
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.trials import problems
from live import fresh, rows
from live.shared import PROBLEM

RECORDS = rows.ROOT / "records" / "validation"
TEST = "tests/live/test_validation.py"
SEEDS = {PROBLEM: (1, 2, 3), "hotel/kubelet-down": (1, 5), "hotel/cpu-throttled": (1, 6)}
"""Those on which the targets differ, where one and two have the same."""


def seeds_of(name: str) -> tuple[int, ...]:
    """The seeds on which a problem is tried."""
    return SEEDS.get(name, (1, 2))


TRIALS = [
    pytest.param(
        name, control.agent, seed, marks=pytest.mark.rests_on(*fresh.of_verdicts(name), TEST)
    )
    for name in problems.names()
    for control in problems.find(name).problem.controls
    for seed in seeds_of(name)
]


@pytest.mark.long
@pytest.mark.cost(200)
@pytest.mark.parametrize(("name", "agent", "seed"), TRIALS)
def test_a_control_agents_verdict_is_as_expected(
    name: str, agent: str, seed: int, artifacts: Artifacts
) -> None:
    plans = validation.plans([problems.find(name)], [agent], [seed], RECORDS)
    got = [
        row
        for plan in plans
        for row in validation.validate(plan, artifacts, lambda _: None, lambda _: None)
    ]
    assert [(row.differences, row.verdict.reasons) for row in got if not row.as_expected] == []
