"""Evidence: what was observed, and how much it says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """One observation."""

    said: str
    """A sentence, with where it was seen."""
    weight: float
    """How much it speaks for a hypothesis; `hypotheses.ENOUGH` decides alone."""
