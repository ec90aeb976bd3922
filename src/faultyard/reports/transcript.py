"""The calls of the agent's tools, as a report shows them."""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faultyard.model.calls import Call, Outcome
from faultyard.reports.clock import duration
from faultyard.reports.excerpts import Room, size

_PEEK: Final = 160
"""Characters of the arguments that a folded call shows."""
_CALLS: Final = 300
"""Calls that a page lists: a turn has fewer, but those after its end are logged too."""


@dataclass(frozen=True)
class Called:
    """One call."""

    received: float
    until: float
    number: int
    tool: str
    peek: str
    """The arguments in one line, as far as it goes."""
    arguments: str
    """The arguments; empty: `peek` has all of them."""
    outcome: Outcome
    took: str
    size: str
    cut: bool
    """The agent got a shortened answer."""
    answer: str
    failure: str

    @property
    def form(self) -> str:
        """How the template shows it."""
        return "call"


@dataclass(frozen=True)
class Used:
    """What a tool was used for."""

    tool: str
    calls: int
    failed: int
    """Those that were not carried out, or whose program failed."""
    seconds: float
    size: str


def entries(calls: Sequence[Call]) -> list[Called]:
    """Return the calls for the page."""
    room = Room()
    return [_called(call, room) for call in calls[:_CALLS]]


def left_out(calls: Sequence[Call]) -> int:
    """Return how many calls the page leaves out."""
    return len(calls[_CALLS:])


def used(calls: Iterable[Call]) -> list[Used]:
    """Return the tools that were used, most often first; calls after the turn's end are none."""
    by_tool: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.outcome != "over":
            by_tool[call.tool or "(no name)"].append(call)
    rows = [
        Used(
            tool,
            len(group),
            sum(call.outcome != "ok" for call in group),
            sum(call.duration_s for call in group),
            size(sum(call.bytes for call in group)),
        )
        for tool, group in by_tool.items()
    ]
    return sorted(rows, key=lambda row: (-row.calls, row.tool))


def _called(call: Call, room: Room) -> Called:
    line = _line(call.arguments)
    whole = len(line) <= _PEEK
    where = f"agent/calls.jsonl, call {call.n}"
    return Called(
        call.t,
        call.t + call.duration_s,
        call.n,
        call.tool or "(no name)",
        line if whole else f"{line[:_PEEK]} …",
        "" if whole else room.fit(call.arguments, where),
        call.outcome,
        duration(call.duration_s) if call.duration_s >= 1 else f"{call.duration_s * 1000:.0f} ms",
        size(call.bytes),
        call.cut,
        room.fit(call.answer, where),
        call.failure,
    )


def _line(arguments: Any) -> str:
    """Return arguments in one line; one alone goes without its name."""
    if not arguments:
        return ""
    if not isinstance(arguments, dict):
        return _value(arguments)
    given = {name: value for name, value in arguments.items() if value not in ("", None)}
    if len(given) == 1:
        return _value(next(iter(given.values())))
    return " ".join(f"{name}={_value(value)}" for name, value in given.items())


def _value(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        text = shlex.join(value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())
