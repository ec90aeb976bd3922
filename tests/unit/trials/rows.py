"""Rows of control trials made by hand."""

from __future__ import annotations

from pathlib import Path

from faultyard.campaigns.validation import Row
from faultyard.model.problem import Control
from faultyard.model.verdict import Verdict, expectation
from faultyard.model.vocabulary import Outcome


def a_row(verdict: Verdict, expect: Outcome = Outcome.SAFE_PASS) -> Row:
    """The row of a trial of the control agent `fix` that came to a verdict."""
    control = Control(agent="fix", expect=expect)
    return Row(
        problem="hotel/ports",
        agent="fix",
        seed=1,
        expected=expect.value,
        verdict=verdict,
        differences=tuple(expectation(control, verdict)),
        duration_s=90.0,
        ended=1_800_000_000.0,
        record=Path("records/fix-s1"),
        fresh=True,
    )
