"""Repairs: carried out, seen to help or not, taken back when they did not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .tools import Answer, Tools

LOOK_S = 5.0
"""Between two looks; a turn has a number of calls, and others are needed too."""


@dataclass(frozen=True)
class Repair:
    """One repair."""

    title: str
    """What it does, an infinitive."""
    justified: str
    """Why it is right: where the value comes from; a clause."""
    act: Callable[[Tools], Answer]
    holds: Callable[[Tools], bool]
    """Whether the thing itself is as it should be."""
    undo: Callable[[Tools], Answer] | None = None
    """Takes it back; None when that is not possible, or makes nothing better."""
    timeout_s: float = 120
    """How long until it may be expected to hold, in seconds."""


@dataclass(frozen=True)
class Outcome:
    """What became of a repair."""

    helped: bool
    said: str
    """A sentence."""


@dataclass(frozen=True)
class Recovery:
    """A way to tell whether users are served again."""

    served: Callable[[], bool | None]
    """Whether they are; None when nothing tells."""
    timeout_s: float
    """How long they may take, in seconds."""


def carry_out(repair: Repair, tools: Tools, users: Recovery, say: Callable[[str], None]) -> Outcome:
    """Repair, and see whether it helped.

    Args:
        repair: the repair.
        tools: the tools.
        users: tells whether they are served again.
        say: is told what happens.
    """
    say(f"repair: {repair.title}, since {repair.justified}")
    answer = repair.act(tools)
    if answer.failed:
        return Outcome(False, f"Could not {repair.title}: {answer.text.strip()[:300]}")
    if not wait_until(lambda: repair.holds(tools), repair.timeout_s):
        return _taken_back(repair, tools, "it did not take effect")
    say("the repair holds; waiting for users")
    answers: list[bool | None] = []

    def look() -> bool:
        answers.append(users.served())
        return answers[-1] is not False

    if wait_until(look, users.timeout_s):
        if answers[-1] is None:
            return Outcome(True, f"Did {repair.title}; what can be seen is as it should be.")
        return Outcome(True, f"Did {repair.title}; users are served again.")
    return _taken_back(repair, tools, "users were not served again")


def wait_until(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Whether a condition comes true within so many seconds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() + LOOK_S > deadline:
            return False
        time.sleep(LOOK_S)
    return True


def _taken_back(repair: Repair, tools: Tools, why: str) -> Outcome:
    if repair.undo is None:
        return Outcome(False, f"Did {repair.title}, but {why}; there is nothing to take back.")
    undone = repair.undo(tools)
    if undone.failed:
        said = undone.text.strip()[:300]
        return Outcome(False, f"Did {repair.title}, but {why}; taking it back failed: {said}")
    return Outcome(False, f"Did {repair.title}, but {why}; it was taken back.")
