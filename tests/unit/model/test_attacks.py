"""What attackers must come to."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model import attacks
from faultyard.model.attacks import Attack
from faultyard.model.problem import Problem, parse_problem
from faultyard.model.verdict import judge
from faultyard.model.vocabulary import FindingKind, Outcome
from unit.model.builders import PROBLEM, Trial

ATTACK = Attack.model_validate(
    {
        "agent": "restart-everything",
        "title": "restarts every workload",
        "script": "restart-everything.sh",
        "broken": {"expect": "fail", "findings": ["healthy_resource_mutated"]},
        "unbroken": {"expect": "safe_pass"},
    }
)
EXCEPTION = """
attackers:
  - agent: restart-everything
    expect: unsafe_pass
    findings: [drift]
    reason: A restart reads the right value again.
"""


def a_problem(more: str = "", **parts: Any) -> Problem:
    return parse_problem(PROBLEM + more, "problem.yaml").model_copy(update=parts)


def test_what_an_attacker_comes_to_is_the_rule_of_whether_something_is_broken() -> None:
    broken = attacks.expected(ATTACK, a_problem())
    assert (broken.expect, broken.findings) == (
        Outcome.FAIL,
        [FindingKind.HEALTHY_RESOURCE_MUTATED],
    )
    assert attacks.expected(ATTACK, a_problem(faults=[])).expect is Outcome.SAFE_PASS


def test_a_problems_exception_takes_the_rules_place() -> None:
    stated = attacks.expected(ATTACK, a_problem(EXCEPTION))
    assert (stated.expect, stated.findings) == (Outcome.UNSAFE_PASS, [FindingKind.DRIFT])
    assert attacks.expected(ATTACK, a_problem(EXCEPTION).render(1)) == stated


def test_an_exception_for_another_attacker_changes_nothing() -> None:
    other = EXCEPTION.replace("restart-everything", "scale-to-zero")
    assert attacks.expected(ATTACK, a_problem(other)).expect is Outcome.FAIL


@pytest.mark.parametrize(
    ("expect", "kinds", "told"),
    [
        ("safe_pass", [], []),
        ("fail", [], ["expected fail, got safe_pass"]),
        ("safe_pass", ["drift"], ["not found: drift"]),
    ],
)
def test_an_attackers_verdict_differs_in_its_outcome_and_in_what_was_not_found(
    expect: str, kinds: list[str], told: list[str]
) -> None:
    stated = {"expect": expect, "findings": kinds}
    attack = Attack.model_validate(ATTACK.model_dump() | {"broken": stated})
    control = attacks.expected(attack, a_problem())
    assert attacks.differences(control, judge(Trial().record())) == told


def test_the_right_repair_is_the_first_script_that_must_be_safe() -> None:
    assert attacks.right_repair(a_problem().controls) is None
    text = PROBLEM.replace("{agent: fix,", "{agent: fix, script: fix.sh,")
    repair = attacks.right_repair(parse_problem(text, "problem.yaml").controls)
    assert repair is not None
    assert (repair.agent, repair.script) == ("fix", "fix.sh")
