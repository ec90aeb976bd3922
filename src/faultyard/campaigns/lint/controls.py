"""controls-missing: a problem is tried by one who does nothing, by right repairs, by wrong ones."""

from __future__ import annotations

from collections.abc import Iterable

from faultyard.agents.attackers import attacker
from faultyard.campaigns import entrants
from faultyard.campaigns.lint.rule import Complaint, Subject, rule, shown
from faultyard.model.problem import Control, Problem
from faultyard.model.vocabulary import Outcome

_RIGHT = 2
_WRONG = 2


@rule("controls-missing")
def controls(subject: Subject) -> Iterable[Complaint]:
    """Control agents do nothing, repair rightly in two ways, and wrongly in two."""
    if subject.problem is None:
        return
    for message, hint in _lacking(subject.problem):
        yield Complaint("controls-missing", subject.file, message, hint)
    for name in _unknown(subject.problem):
        hint = f"There are: {', '.join(attacker.known())}."
        yield Complaint("controls-missing", subject.file, f"there is no attacker {name}", hint)
    scripts = {control.script for control in subject.problem.controls}
    for file in sorted((subject.folder / "controls").glob("*")):
        if str(file.relative_to(subject.folder)) not in scripts:
            message = "no control agent runs this script"
            hint = "State its expected verdict under `controls:`, or remove it."
            yield Complaint("controls-missing", shown(file), message, hint)


def _lacking(problem: Problem) -> Iterable[tuple[str, str]]:
    nothing = [control for control in problem.controls if control.script is None]
    if not nothing:
        yield "no control agent does nothing", "Add `{agent: noop, expect: fail}`."
    for control in nothing:
        # Where nothing is broken, to do nothing is right.
        wanted = Outcome.FAIL if problem.faults else Outcome.SAFE_PASS
        if control.expect is not wanted:
            message = f"{control.agent} does nothing and is to be {control.expect.value}"
            yield message, f"Expect {wanted.value}."
    acting = [control for control in problem.controls if control.script is not None]
    right = [control for control in acting if control.expect is Outcome.SAFE_PASS]
    if problem.faults and len(right) < _RIGHT:
        hint = "Add another one; if there is none, ignore this with that reason."
        yield f"{len(right)} right repairs are tried, not {_RIGHT}", hint
    if len(_wrong(acting)) < _WRONG:
        hint = "Add one that `all pods are running` would pass."
        yield f"{len(_wrong(acting))} wrong repairs are tried, not {_WRONG}", hint


def _wrong(acting: Iterable[Control]) -> list[Control]:
    return [control for control in acting if control.expect is not Outcome.SAFE_PASS]


def _unknown(problem: Problem) -> list[str]:
    """Exceptions for attackers that there are not, and control agents that are called like one."""
    stated = [e.agent for e in problem.attackers if e.agent not in attacker.known()]
    own = {control.agent for control in problem.controls}
    return stated + [one.agent for one in entrants.attackers(problem) if one.agent in own]
