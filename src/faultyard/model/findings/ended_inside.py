"""Containers that were started anew soon after a command in their pod, however it was spelled.

The watch is the second witness: a command of which nobody knows what it does has ended the first
program of a container if that ended then, as who is told to end does, and its pod stayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from faultyard.model.case import Case
from faultyard.model.findings.executed import commands_in, restarts_in, starts_anew
from faultyard.model.predicates.shots import leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.model.shapes import mapping, mappings
from faultyard.model.watch import Entry

WITHIN_S: Final = 10.0
"""So long a program takes to end in order, and its kubelet to say so."""
_TOLD: Final = frozenset({0, 130, 131, 137, 143})
"""Exit codes of who was told to end: in order, or by INT, QUIT, KILL, TERM."""
_KNOWN: Final = frozenset({"Completed", "Error"})
"""Reasons; others, such as OOMKilled, say that somebody else ended it, or nobody knows who."""


def of(case: Case, pod: ObjectRef) -> list[Command]:
    """Return the commands that ended a container's first program by other words than `kill 1`.

    Args:
        case: the record; without a watch there is no second witness.
        pod: where they were given, or in a container that was added to it.
    """
    if not starts_anew(case, pod):
        return []
    added = case.sessions.own.get(f"{pod.namespace}/{pod.name}", ())
    given = sorted([*commands_in(case, pod), *added], key=lambda command: command.process.t)
    acting = [command for command in given if not command.telling]
    # Each once, and none of which the words tell it already.
    found = dict.fromkeys(_before(acting, t) for t in _stops(case, pod)) if acting else ()
    known = restarts_in(case, pod)
    return [command for command in found if command is not None and command not in known]


def _before(acting: Iterable[Command], t: float) -> Command | None:
    """Return the last command before a moment, if it was soon before it."""
    soon = [command for command in acting if 0 <= t - command.process.t <= WITHIN_S]
    return soon[-1] if soon else None


def _stops(case: Case, pod: ObjectRef) -> Iterator[float]:
    """Yield when a container of a pod ended that had not been started anew since the turn began.

    One that has is a container that ends by itself, or is the agent's by an earlier command.
    """
    shot = case.record.snapshots.get("injected")
    since = shot.taken_at if shot else 0
    first = mapping(shot.objects.get(pod)) if shot else {}
    known, last = _running(first), first
    for change in case.record.watch.changes if case.record.watch else ():
        if change.ref != pod or change.t < since:
            continue
        if change.entry is Entry.DELETED or leaving(change.raw):
            return
        now = _running(change.raw)
        for name, one in _running(last).items():
            if now.get(name) != one == known[name] and _was_told(change.raw, name, one):
                yield change.t
        known, last = now | known, change.raw


def _running(pod: Mapping[str, Any]) -> dict[str, str]:
    """Return the IDs of the containers that run, by their names."""
    return {
        str(status.get("name")): str(status.get("containerID"))
        for status in _statuses(pod)
        if mapping(status.get("state")).get("running") is not None
    }


def _was_told(pod: Mapping[str, Any], name: str, one: str) -> bool:
    """Tell whether a container ended as one does that was told to."""
    ends = [
        mapping(mapping(status.get(state)).get("terminated"))
        for status in _statuses(pod)
        if status.get("name") == name
        for state in ("state", "lastState")
    ]
    return any(
        end.get("containerID") == one
        and end.get("exitCode") in _TOLD
        and end.get("reason") in _KNOWN
        for end in ends
    )


def _statuses(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(mapping(pod.get("status")).get("containerStatuses"))
