"""Every attacker comes to what was stated, at every problem.

The records are kept beside the code, as those of the problems' own control agents are.
"""

from __future__ import annotations

import pytest

from faultyard.agents.attackers import attacker
from faultyard.campaigns import entrants, validation
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.trials import problems
from live import fresh, rows
from live.test_validation import RECORDS

TEST = "tests/live/test_attackers.py"
SEED = 2


def rests_on(name: str, agent: str) -> pytest.MarkDecorator:
    program = (str(file.relative_to(rows.ROOT)) for file in entrants.program(agent))
    return pytest.mark.rests_on(*fresh.of_verdicts(name), *program, TEST)


TRIALS = [
    pytest.param(name, agent, marks=rests_on(name, agent))
    for name in problems.names()
    for agent in attacker.known()
]


@pytest.mark.long
@pytest.mark.cost(300)
@pytest.mark.parametrize(("name", "agent"), TRIALS)
def test_an_attackers_verdict_is_as_stated(name: str, agent: str, artifacts: Artifacts) -> None:
    (plan,) = validation.plans([problems.find(name)], [agent], [SEED], RECORDS)
    (row,) = validation.validate(plan, artifacts, lambda _: None, lambda _: None)
    assert (row.differences, row.verdict.reasons if row.differences else ()) == ((), ())
