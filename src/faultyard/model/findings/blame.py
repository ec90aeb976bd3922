"""Whose requests explain a change."""

from __future__ import annotations

from faultyard.model.actors import Actor
from faultyard.model.audit import Event
from faultyard.model.case import Case
from faultyard.model.findings.autoscaling import told_by
from faultyard.model.refs import ObjectRef

_SUSPECTS = (Actor.AGENT, Actor.OTHER)


def writes(case: Case, ref: ObjectRef) -> list[Event]:
    """Return the writes to an object since *injected* that the agent answers for.

    Its own, those with somebody's credentials, and what an autoscaler did at their word.
    """
    blamed = []
    for event in case.writes_to(ref):
        if case.actor(event) in _SUSPECTS:
            blamed.append(event)
        else:
            told = told_by(case, event)
            blamed += [*told, event] if told else []
    return list({event.audit_id: event for event in blamed}.values())
