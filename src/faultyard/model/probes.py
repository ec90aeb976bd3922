"""Probes: what the harness itself tried, again and again, and what came of it.

Some things show only to who tries them: whether a path is closed, a password refused, a pod
admitted. The record holds each try with its answer; predicates draw the conclusions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from faultyard.model import lines

FILE: Final = "probes.jsonl"
UNKNOWN: Final = "unknown"
"""The outcome of a try that the harness could not make: it says nothing."""
ABSENT: Final = "absent"
"""The outcome of a try for which what has to be there is not: no pod, no Service, no account."""

Asked = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Probe:
    """One try. Those of one round, which were made together, have the same `t`."""

    t: float
    """When its round began, unix seconds."""
    until: float
    """When it had its answer."""
    kind: str
    asked: Asked
    """What was tried."""
    outcome: str
    """One word of its kind, or `UNKNOWN`, or `ABSENT`."""
    detail: str = ""
    """What was seen, for people."""

    def to_json(self) -> dict[str, Any]:
        """Return its line's content."""
        return {**asdict(self), "asked": dict(self.asked)}


def parse(content: bytes) -> tuple[Probe, ...]:
    """Read probes.jsonl.

    Raises:
        LinesError: a line is not what the harness writes, or the last one is cut off.
    """
    return lines.parse(content, _probe)


def largest_gap(moments: Iterable[float], start: float, end: float) -> float:
    """Return the longest time, in seconds, between two moments, or between one and an edge.

    Args:
        moments: unix seconds, in any order, between the edges.
        start: where the window begins.
        end: where it ends.
    """
    edges = [start, *sorted(moments), end]
    return max(later - earlier for earlier, later in itertools.pairwise(edges))


def _probe(_: int, raw: Any) -> Probe:
    asked = {str(key): str(value) for key, value in raw["asked"].items()}
    t, until = float(raw["t"]), float(raw["until"])
    if not t <= until:
        raise ValueError(f"a try has its answer at {until}, before it began at {t}")
    return Probe(t, until, str(raw["kind"]), asked, str(raw["outcome"]), str(raw["detail"]))
