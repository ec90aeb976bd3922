"""Calls of the agent's tools, as the record has them in `agent/calls.jsonl`: a line for each."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

Outcome = Literal["ok", "error", "malformed", "declined", "over", "failed"]
"""`error`: what it ran failed. `malformed`: not understood. `declined`: understood, not done.
`over`: the turn was. `failed`: through the harness."""
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


@dataclass(frozen=True)
class Call:
    """One call."""

    n: int
    """Counts from 1, in the order of their beginnings."""
    t: float
    """When it began, unix seconds."""
    duration_s: float
    tool: str
    """As the agent wrote it; empty when it was no name."""
    arguments: Any
    """As they were sent."""
    outcome: Outcome
    bytes: int
    """Of the answer."""
    cut: bool
    """The answer was shortened, and said so."""
    answer: str
    """The answer, as it was sent."""
    failure: str = ""
    """What failed through the harness, in words that the agent does not get."""


class CallsError(ValueError):
    """A line is not what the harness writes."""


def parse(content: bytes) -> list[Call]:
    """Read calls.jsonl; in the order of their beginnings.

    Raises:
        CallsError: a line is not JSON, lacks something, or has a value of another type.
    """
    calls = [_call(number, line) for number, line in enumerate(content.splitlines(), 1)]
    return sorted(calls, key=lambda call: call.n)


def _call(number: int, line: bytes) -> Call:
    try:
        raw = json.loads(line)
        call = Call(**{field.name: raw[field.name] for field in fields(Call)})
        numbers = (call.n, call.t, call.duration_s, call.bytes)
        texts = (call.tool, call.answer, call.failure)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CallsError(f"line {number}: {error!r}") from error
    if not all(isinstance(value, int | float) for value in numbers):
        raise CallsError(f"line {number}: a number is none")
    if not all(isinstance(text, str) for text in texts) or call.outcome not in OUTCOMES:
        raise CallsError(f"line {number}: a text or its outcome is none that the harness writes")
    return call
