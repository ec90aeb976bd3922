"""What somebody who knows nothing would hit by chance, and whether the archaeologist did better.

Chance is one of all objects that were changed in the last hour, benign changes included; an
object with a cause in it counts as one even if the cause left no trace in the API.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from faultyard.model.record import Record
from faultyard.model.statistics import at_least
from faultyard.model.strict import Strict

LEAST = 36
"""Trials below which nothing is concluded."""
LEVEL = 0.05
"""One-sided: how seldom mere guessing may look like more."""


class Guess(Strict):
    """One object that was named."""

    among: int
    """How many objects were changed in the last hour."""
    right: int
    """In how many of them a cause lies."""
    hit: bool
    """Whether the named object is one of these."""

    @property
    def chance(self) -> float:
        """The probability that mere guessing hits."""
        return min(1.0, self.right / self.among)


def guess(record: Record) -> Guess | None:
    """Return what was named in a trial; None: there is nothing to hit.

    Nothing named is a miss.
    """
    truth = [c for c in record.problem.ground_truth.causes if c.component is not None]
    if not truth:
        return None
    primary = {str(cause.component) for cause in truth}
    right = {component for cause in truth for component in cause.components}
    changed = {change.object for change in record.trial.declared_changes} | primary
    submitted = record.diagnosis.diagnosis.causes if record.diagnosis else ()
    named = submitted[0].component if submitted else None
    return Guess(among=len(changed), right=len(primary), hit=named in right)


@dataclass(frozen=True)
class Tally:
    """What all guesses came to."""

    guesses: Sequence[Guess]

    @property
    def hits(self) -> int:
        """How many hit."""
        return sum(one.hit for one in self.guesses)

    @property
    def expected(self) -> float:
        """How many mere guessing hits in the mean."""
        return math.fsum(one.chance for one in self.guesses)

    @cached_property
    def p(self) -> float:
        """The probability that mere guessing hits at least so often, exactly."""
        return at_least(self.hits, [one.chance for one in self.guesses])

    @property
    def enough(self) -> bool:
        """Whether there are so many trials that the test says anything."""
        return len(self.guesses) >= LEAST

    @property
    def leaks(self) -> bool:
        """Whether it hit more often than chance explains."""
        return self.p < LEVEL


def tally(guesses: Iterable[Guess]) -> Tally:
    """Return what guesses came to."""
    return Tally(tuple(guesses))
