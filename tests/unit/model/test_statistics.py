"""Bounds of rates: exact, and never better than what was seen."""

from __future__ import annotations

import pytest

from faultyard.model.statistics import at_most, upper_bound


@pytest.mark.parametrize(
    ("seen", "trials", "bound"),
    [
        # 1 - 0.05^(1/n)
        (0, 1, 0.95),
        (0, 3, 0.631597),
        (0, 56, 0.052090),
        (0, 200, 0.014867),
        # Tables of one-sided 95 % limits.
        (1, 10, 0.394163),
        (2, 20, 0.282619),
        (5, 5, 1.0),
        (0, 0, 1.0),
    ],
)
def test_a_bound_is_the_exact_one(seen: int, trials: int, bound: float) -> None:
    assert upper_bound(seen, trials) == pytest.approx(bound, abs=1e-6)


@pytest.mark.parametrize("trials", [1, 2, 7, 56, 300])
def test_none_of_n_excludes_more_than_three_of_n(trials: int) -> None:
    assert upper_bound(0, trials) <= 3 / trials


@pytest.mark.parametrize(("seen", "trials"), [(1, 4), (3, 50), (10, 12)])
def test_at_the_bound_so_few_are_seen_with_five_percent(seen: int, trials: int) -> None:
    bound = upper_bound(seen, trials)
    assert at_most(seen, trials, bound) == pytest.approx(0.05)
    assert bound > seen / trials


@pytest.mark.parametrize(("seen", "trials", "confidence"), [(2, 1, 0.95), (-1, 1, 0.95), (0, 1, 1)])
def test_what_cannot_have_been_seen_has_no_bound(seen: int, trials: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="with confidence"):
        upper_bound(seen, trials, confidence)
