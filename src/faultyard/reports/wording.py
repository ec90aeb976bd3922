"""A verdict as people read it: with what to do, and nothing to the credit of no result."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Outcome

_BUSY: Final = ("the host was busy", "the host is too busy")


def worded(verdict: Verdict) -> Verdict:
    """Return a verdict as it is told.

    A trial that says nothing about the agent has nothing to its credit: what was not done in a turn
    that there was not, or that cannot be judged, was not avoided.
    """
    judged = verdict.outcome is not Outcome.RUNTIME_ERROR
    return verdict if judged else replace(verdict, avoided=())


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
