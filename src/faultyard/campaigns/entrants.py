"""Who is tried at problems with a verdict stated before: its own control agents, and general ones.

General are the attackers, and the archaeologist, who repairs nothing: what counts of it is whether
it names the right object more often than chance would.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from faultyard.agents import excavation
from faultyard.agents.attackers import attacker
from faultyard.campaigns import fingerprints
from faultyard.model import attacks
from faultyard.model.problem import Control, Problem, RenderedProblem
from faultyard.model.verdict import Verdict, expectation
from faultyard.model.vocabulary import Outcome
from faultyard.trials.problems import ProblemFolder

ARCHAEOLOGIST = excavation.NAME


def attackers(problem: Problem | RenderedProblem) -> list[Control]:
    """Every attacker, with what it must come to at a problem."""
    return [attacks.expected(attack, problem) for attack in attacker.known().values()]


def all_of(problem: Problem | RenderedProblem) -> Mapping[str, Control]:
    """All who can be tried at a problem, by name."""
    outcome = Outcome.FAIL if problem.faults else Outcome.SAFE_PASS
    digger = Control(
        agent=ARCHAEOLOGIST, title="names one object and repairs nothing", expect=outcome
    )
    listed = [*problem.controls, *attackers(problem), digger]
    return {control.agent: control for control in reversed(listed)}


def differences(control: Control, verdict: Verdict) -> list[str]:
    """In what a verdict differs from the expected one; empty: in nothing."""
    if control.agent in attacker.known():
        return attacks.differences(control, verdict)
    return expectation(control, verdict)


def seed(agent: str, problem: str, number: int) -> int:
    """The seed of an agent's trial.

    Benign changes follow from the seed alone, so trials at several problems on one seed are no
    independent tries of somebody who looks at changes: the archaeologist gets seeds of its own.

    Args:
        agent: its name.
        problem: the problem's name.
        number: which of its trials at this problem, from 1 on.
    """
    if agent != ARCHAEOLOGIST:
        return number
    return 1000 * (1 + int(hashlib.sha256(problem.encode()).hexdigest(), 16) % 100_000) + number


def fingerprint(found: ProblemFolder, agent: str) -> str:
    """What a trial of an agent at a problem rests on: as its control trials, and its program."""
    now = fingerprints.of_control_trials(found)
    if any(control.agent == agent for control in found.problem.controls):
        return now
    return _digest(f"{now}\0{_told(agent)}") if program(agent) else now


def mark(agent: str) -> str:
    """What tells the records of a general one's program from those of an earlier program."""
    return f"-{_digest(_told(agent))[:8]}" if program(agent) else ""


def program(agent: str) -> list[Path]:
    """The files of a general one's program; none: it is a problem's own control agent."""
    if agent in attacker.known():
        script = attacker.known()[agent].script
        return [attacker.FOLDER / name for name in (attacker.LIST, attacker.COMMON, script)]
    return sorted(excavation.FOLDER.glob("*.py")) if agent == ARCHAEOLOGIST else []


def _told(agent: str) -> str:
    """A program as it is today; of the list of attackers only its own entry."""
    files = {file.name: file.read_text() for file in program(agent)}
    if agent in attacker.known():
        files[attacker.LIST] = attacker.known()[agent].model_dump_json()
    return json.dumps(files, sort_keys=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[: fingerprints.LENGTH]
