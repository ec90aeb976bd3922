"""What control trials say about a problem: rows, rates with bounds, and whether it is admitted."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from faultyard.model.problem import Problem
from faultyard.model.statistics import upper_bound
from faultyard.model.strict import Strict
from faultyard.model.vocabulary import FindingKind, Outcome

SEEDS: Final = 3
"""On so many seeds a problem's control agents must have got their verdicts."""


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

    @property
    def is_result(self) -> bool:
        """Whether it says anything about the problem; an error of the harness does not."""
        return self.got is not Outcome.RUNTIME_ERROR

    @property
    def as_expected(self) -> bool:
        """Whether it got the verdict that was stated before."""
        return not self.differences

    @property
    def trial(self) -> tuple[str, str, int]:
        """Problem, agent, seed: what may be tried again."""
        return self.problem, self.agent, self.seed

    def to_json(self) -> dict[str, Any]:
        """Return the row as data."""
        return self.model_dump(mode="json")


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

    @property
    def lacks(self) -> list[str]:
        """What keeps it from being admitted, a clause each; empty: nothing."""
        found = []
        for agent in self.agents:
            if agent.unexpected:
                found.append(f"{agent.agent} got an unexpected verdict {agent.unexpected} times")
            elif len(agent.seeds) < SEEDS:
                found.append(f"{agent.agent} was tried on {len(agent.seeds)} of {SEEDS} seeds")
        return found

    @property
    def admitted(self) -> bool:
        """Whether every control agent got its verdict on enough seeds, and never another."""
        return not self.lacks


def standing(problem: Problem, fingerprint: str, rows: Iterable[ControlRow]) -> ProblemStanding:
    """Return how a problem's control agents have fared.

    Args:
        problem: as it is today.
        fingerprint: of what its trials rest on today; rows with another one do not count.
        rows: of any problems, those of the past too.
    """
    fresh = [row for row in rows if (row.problem, row.fingerprint) == (problem.name, fingerprint)]
    agents = []
    for control in problem.controls:
        own = [row for row in fresh if row.agent == control.agent]
        agents.append(Standing(control.agent, control.expect, tuple(own)))
    return ProblemStanding(problem.name, agents)
