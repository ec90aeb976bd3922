"""What control trials say about a problem: rows, rates with bounds, and whether it is admitted."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from faultyard.model.guesses import Guess
from faultyard.model.problem import Control, Problem
from faultyard.model.statistics import upper_bound
from faultyard.model.strict import Strict
from faultyard.model.vocabulary import FindingKind, Outcome

SEEDS: Final = 3
"""On so many seeds a problem's control agents must have got their verdicts."""
KINDS: Final = 3
"""At problems of so many kinds of faults each attacker must have got its verdict."""


class ControlRow(Strict):
    """One control trial, as it is committed."""

    problem: str
    agent: str
    seed: int
    fingerprint: str
    """Of what the trial and its verdict rest on."""
    expected: Outcome
    got: Outcome
    findings: list[FindingKind]
    differences: list[str]
    """In what the verdict differs from the expected one; empty: in nothing."""
    duration_s: float
    ended: str
    """When the trial ended, ISO 8601, UTC."""
    scoring_version: int
    guess: Guess | None = None
    """Of an agent that only names an object: what that came to."""
    not_evaluated: list[str] | None = None
    """Checks that could not be evaluated, where the outcome follows from that alone."""

    @property
    def is_result(self) -> bool:
        """Whether it says anything about the problem; an error of the harness does not."""
        return self.got is not Outcome.RUNTIME_ERROR and not self.not_evaluated

    @property
    def as_expected(self) -> bool:
        """Whether it got the verdict that was stated before."""
        return self.got is self.expected and not self.differences

    @property
    def trial(self) -> tuple[str, str, int]:
        """Problem, agent, seed: what may be tried again."""
        return self.problem, self.agent, self.seed

    def to_json(self) -> dict[str, Any]:
        """Return the row as data."""
        return self.model_dump(mode="json", exclude_none=True)


class PastRow(ControlRow):
    """A control trial that stands for nothing today."""

    reason: str
    """Why, a clause."""


@dataclass(frozen=True)
class Standing:
    """How one control agent has fared at a problem as it is today."""

    agent: str
    expected: Outcome
    rows: Sequence[ControlRow] = field(default_factory=tuple)
    """All that rest on today's problem and code, whatever they came to."""

    @property
    def results(self) -> list[ControlRow]:
        """Those that say something."""
        return [row for row in self.rows if row.is_result]

    @property
    def unexpected(self) -> int:
        """How many got another verdict."""
        return sum(not row.as_expected for row in self.results)

    @property
    def lost(self) -> int:
        """How many ended through an error of the harness."""
        return len(self.rows) - len(self.results)

    @property
    def flakes(self) -> int:
        """Seeds on which it got the expected verdict and, another time, did not."""
        good = {row.seed for row in self.results if row.as_expected}
        return len(good & {row.seed for row in self.rows if not row.as_expected})

    @property
    def seeds(self) -> frozenset[int]:
        """Those on which it got the expected verdict, and no other."""
        bad = {row.seed for row in self.results if not row.as_expected}
        return frozenset(row.seed for row in self.results if row.as_expected) - bad

    @property
    def bound(self) -> float:
        """The rate of unexpected verdicts that the results do not exclude, at 95 %."""
        return upper_bound(self.unexpected, len(self.results))

    @property
    def median_s(self) -> float | None:
        """Of a trial that was a result, seconds; None: there is none."""
        return statistics.median(self._seconds) if self._seconds else None

    @property
    def max_s(self) -> float | None:
        """The longest of them, seconds."""
        return max(self._seconds, default=None)

    @property
    def _seconds(self) -> list[float]:
        return [row.duration_s for row in self.results]


@dataclass(frozen=True)
class ProblemStanding:
    """How all control agents have fared at a problem as it is today."""

    problem: str
    agents: Sequence[Standing]
    """Its control agents."""
    attackers: Sequence[Standing] = ()
    kinds: frozenset[str] = frozenset()
    """Of its faults; none: nothing is broken."""
    reached: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Attacker -> at problems of how many kinds it got its verdict; empty: nobody asked."""

    @property
    def all(self) -> list[Standing]:
        """Control agents and attackers."""
        return [*self.agents, *self.attackers]

    @property
    def lacks(self) -> list[str]:
        """What keeps it from being admitted, a clause each; empty: nothing."""
        found = []
        for agent in self.agents:
            if agent.unexpected:
                found.append(f"{agent.agent} got an unexpected verdict {agent.unexpected} times")
            elif len(agent.seeds) < SEEDS:
                found.append(f"{agent.agent} was tried on {len(agent.seeds)} of {SEEDS} seeds")
        for attacker in self.attackers:
            if attacker.unexpected:
                times = f"{attacker.unexpected} times"
                found.append(f"{attacker.agent} got an unexpected verdict {times}")
        for name, kinds in self.reached.items():
            if kinds < KINDS:
                found.append(f"{name} was tried at {kinds} of {KINDS} kinds of problems")
        return found

    @property
    def admitted(self) -> bool:
        """Whether every control agent got its verdict on enough seeds, and never another.

        And each attacker at problems of enough kinds, and no other verdict at this one.
        """
        return not self.lacks


@dataclass(frozen=True)
class Attempt:
    """An attacker at a problem as both are today."""

    control: Control
    """With the verdict that it must get."""
    fingerprint: str
    """Of what its trials rest on."""


def standing(
    problem: Problem,
    fingerprint: str,
    rows: Iterable[ControlRow],
    attempts: Iterable[Attempt] = (),
) -> ProblemStanding:
    """Return how a problem's control agents, and attackers at it, have fared.

    Args:
        problem: as it is today.
        fingerprint: of what its control trials rest on today; rows with another one do not count.
        rows: of any problems, those of the past too.
        attempts: the attackers at it.
    """
    own = [row for row in rows if row.problem == problem.name]

    def fared(attempt: Attempt) -> Standing:
        control = attempt.control
        fresh = [r for r in own if (r.agent, r.fingerprint) == (control.agent, attempt.fingerprint)]
        return Standing(control.agent, control.expect, tuple(fresh))

    return ProblemStanding(
        problem.name,
        [fared(Attempt(control, fingerprint)) for control in problem.controls],
        [fared(attempt) for attempt in attempts],
        frozenset(fault.kind for fault in problem.faults),
    )


def compared(standings: Sequence[ProblemStanding]) -> list[ProblemStanding]:
    """Return standings of all problems, each with how far every attacker has been tried."""
    kinds: dict[str, set[frozenset[str]]] = {}
    for one in standings:
        for attacker in one.attackers:
            reached = kinds.setdefault(attacker.agent, set())
            if attacker.seeds:
                reached.add(one.kinds)
    counts = {name: len(reached) for name, reached in kinds.items()}
    return [replace(one, reached=counts) for one in standings]
