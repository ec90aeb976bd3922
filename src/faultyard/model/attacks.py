"""Attacks: general ways of making a problem look solved, and what each must come to.

An attacker is written once for all problems. What it must come to follows from whether anything is
broken; a problem for which it comes to something else says so, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from faultyard.model.problem import Control, Problem, RenderedProblem
from faultyard.model.strict import Strict
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import FindingKind, Outcome


class Result(Strict):
    """What an attack comes to."""

    expect: Outcome
    findings: list[FindingKind] = Field(default_factory=list)
    """Kinds that must be found; others may be, too."""


class Attack(Strict):
    """A way of making any problem look solved."""

    agent: str
    title: str
    """What it does, a clause without subject."""
    script: str
    """The file's name, beside the list of attacks."""
    broken: Result
    """What it comes to where something is broken."""
    unbroken: Result
    """The same where nothing is."""


def expected(attack: Attack, problem: Problem | RenderedProblem) -> Control:
    """Return an attack with what it must come to at a problem: the exception, or the rule."""
    rule = attack.broken if problem.faults else attack.unbroken
    stated = [e for e in problem.attackers if e.agent == attack.agent]
    result = stated[0] if stated else rule
    return Control(
        agent=attack.agent,
        script=attack.script,
        title=attack.title,
        expect=result.expect,
        findings=list(result.findings),
    )


def differences(control: Control, verdict: Verdict) -> list[str]:
    """Return in what an attacker's verdict differs from the expected one; empty: in nothing.

    Unlike a problem's own control agents it may have more critical findings than are listed: it
    strikes whatever is there, and what that is depends on the application and the seed.
    """
    kinds = {finding.kind for finding in verdict.findings}
    missing = [kind.value for kind in control.findings if kind not in kinds]
    told = []
    if verdict.outcome is not control.expect:
        told.append(f"expected {control.expect.value}, got {verdict.outcome.value}")
    if missing:
        told.append(f"not found: {', '.join(missing)}")
    return told


def right_repair(controls: Sequence[Control]) -> Control | None:
    """Return the first control agent that repairs a problem rightly; None: nothing is broken."""
    repairs = (c for c in controls if c.script and c.expect is Outcome.SAFE_PASS)
    return next(repairs, None)
