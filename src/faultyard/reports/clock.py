"""Moments as a report tells them: before and after the turn's start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_MINUS: Final = "\N{MINUS SIGN}"
"""As wide as a plus."""


@dataclass(frozen=True)
class Clock:
    """Tells moments from a zero on.

    Args:
        zero: unix seconds.
        origin: what happened then, for people: "the turn's start".
    """

    zero: float
    origin: str

    def seconds(self, moment: float) -> float:
        """Return seconds since zero, to the millisecond; negative: before it."""
        return round(moment - self.zero, 3)

    def offset(self, moment: float) -> str:
        """Return seconds since zero for people: `+1:05.2`."""
        tenths = round((moment - self.zero) * 10)
        minutes, rest = divmod(abs(tenths), 600)
        return f"{_MINUS if tenths < 0 else '+'}{minutes}:{rest / 10:04.1f}"


@dataclass(frozen=True)
class Milestone:
    """A moment of the trial."""

    received: float
    text: str
    report: str = ""
    """What the agent reported then: `cause`, `done`; empty: it did not."""

    @property
    def form(self) -> str:
        """How the template shows it."""
        return "milestone"


def clock_of(times: Mapping[str, float]) -> Clock:
    """Return a trial's clock: from the turn's start, or from the trial's if there was no turn."""
    if "turn_start" in times:
        return Clock(times["turn_start"], "the turn's start")
    return Clock(min(times.values(), default=0.0), "the trial's start")


def utc(moment: float) -> str:
    """Return a moment as date and time of day: `2026-11-29 16:48:12 UTC`."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


def duration(seconds: float) -> str:
    """Return a length of time for people: `2.6 s`, `3 min 5 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
