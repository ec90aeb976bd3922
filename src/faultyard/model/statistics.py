"""Bounds of rates that were seen a few times.

Exact for binomial counts: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
illustrated in the case of the binomial", Biometrika 26 (1934), 404-413. For none of n the upper
bound is 1 - alpha^(1/n), which at 95 % is less than 3/n (J. A. Hanley, A. Lippman-Hand, "If nothing
goes wrong, is everything all right?", JAMA 249 (1983), 1743-1745).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_STEPS: Final = 60
"""Halvings of the interval in which a bound lies: more digits than a float has."""


def upper_bound(seen: int, trials: int, confidence: float = 0.95) -> float:
    """Return the rate above which so few would be seen with less than 1 - `confidence`.

    Args:
        seen: how often it was seen.
        trials: in how many independent trials; none: nothing is known, the bound is 1.
        confidence: one-sided, between 0 and 1.

    Raises:
        ValueError: more were seen than tried, or the confidence is none.
    """
    if not 0 <= seen <= trials or not 0 < confidence < 1:
        raise ValueError(f"{seen} of {trials} with confidence {confidence}")
    if seen == trials:
        return 1.0
    low, high = seen / trials, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if at_most(seen, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def at_most(seen: int, trials: int, rate: float) -> float:
    """Return the probability of seeing something at most so often, at this rate a trial."""
    return math.fsum(
        math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(seen + 1)
    )


def at_least(seen: int, rates: Sequence[float]) -> float:
    """Return the probability of seeing something at least so often, each trial having a rate.

    Exact, whatever the rates are: with one rate for all it is the binomial test's, one-sided.

    Args:
        seen: how often it was seen.
        rates: of each trial, all independent.
    """
    exactly = [1.0]
    """How probable each count is, of the trials so far."""
    for rate in rates:
        missed = [p * (1 - rate) for p in exactly]
        hit = [p * rate for p in exactly]
        exactly = [a + b for a, b in zip([*missed, 0.0], [0.0, *hit], strict=True)]
    return min(1.0, math.fsum(exactly[max(seen, 0) :]))
