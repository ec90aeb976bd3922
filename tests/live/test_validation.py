"""Every control agent gets the verdict that the problem states, on several seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.campaigns import validation
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.trials import problems
from live.shared import PROBLEM

SEEDS = (1, 2, 3)
CONTROLS = [control.agent for control in problems.find(PROBLEM).problem.controls]


@pytest.mark.long
@pytest.mark.cost(150)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("agent", CONTROLS)
def test_a_control_agents_verdict_is_as_expected(
    agent: str, seed: int, artifacts: Artifacts, tmp_path: Path
) -> None:
    found = problems.find(PROBLEM)
    controls = [control for control in found.problem.controls if control.agent == agent]
    plan = validation.Plan(found, controls, [seed], tmp_path)
    rows = validation.validate(plan, artifacts, lambda _: None, lambda _: None)
    assert [(row.differences, row.verdict.reasons) for row in rows if not row.as_expected] == []
