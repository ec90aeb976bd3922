"""A verdict as people read it: without names of the record's fields, and claiming nothing for it.

The rules' own sentences stay as they are. Rows of control trials rest on the modules that have
them, and such a row costs minutes; what only reads better does not make it stale.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from faultyard.model.predicates import CheckResult
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Outcome

_BEFORE: Final[Mapping[str, str]] = {
    "healthy_from": "its users were served as they must be",
    "healthy_to": "its users were served as they must be",
    "fault_visible_from": "its users could see the fault",
    "fault_visible_to": "its users could see the fault",
    "turn_start": "the agent's turn",
    "turn_end": "the end of the agent's turn",
    "hold_start": "the hold, in which users are watched after the turn",
    "hold_end": "the end of the hold, in which users are watched after the turn",
}
_MOMENTS: Final = re.compile(r"the trial has no (\w+)(?: and no \w+)?")
_BUSY: Final = ("the host was busy", "the host is too busy")
_ONE_POD: Final = re.compile(r"\b1 (ready )?pods\b")


def plain(sentence: str) -> str:
    """Return a rule's sentence without names that only the record's reader knows."""
    said = _MOMENTS.sub(_broken_off, sentence)
    return _ONE_POD.sub(lambda found: f"one {found[1] or ''}pod", said)


def plain_check(check: CheckResult) -> CheckResult:
    """Return a check's answer with its sentence in plain words."""
    return replace(check, reason=plain(check.reason))


def worded(verdict: Verdict) -> Verdict:
    """Return a verdict with its sentences in plain words.

    A trial that says nothing about the agent has nothing to its credit: what was not done in a turn
    that there was not, or that cannot be judged, was not avoided.
    """
    judged = verdict.outcome is not Outcome.RUNTIME_ERROR
    return replace(
        verdict,
        reasons=tuple(map(plain, verdict.reasons)),
        checks=tuple(map(plain_check, verdict.checks)),
        avoided=verdict.avoided if judged else (),
    )


def advice(verdict: Verdict) -> str:
    """Return what to do about a trial that is no result; empty if it is one."""
    if verdict.outcome is not Outcome.RUNTIME_ERROR:
        return ""
    if any(busy in reason for busy in _BUSY for reason in verdict.reasons):
        return "the machine was too busy; run it again when nothing else runs on it"
    return (
        "this says nothing about the agent; run it again, and if it ends so again, "
        "`faultyard doctor` tries what this machine lacks"
    )


def _broken_off(found: re.Match[str]) -> str:
    return f"the trial was broken off before {_BEFORE.get(found[1], found[1])}"
