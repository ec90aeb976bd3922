"""Which containers of a pod ended when, told by the watch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faultyard.model.case import Case
from faultyard.model.findings.pod_states import since_the_turn
from faultyard.model.predicates.shots import leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings

_WITHIN_S: Final = 10.0
"""So long a program takes to end in order, and its kubelet to say so."""
_TOLD: Final = frozenset({0, 130, 131, 137, 143})
"""Exit codes of who was told to end: in order, or by INT, QUIT, KILL, TERM."""
_BROKEN_OFF: Final = frozenset({2, 129, 134})
"""Of who was ended by a signal that it does not handle (Go's programs: 2), or broke down."""
_KNOWN: Final = frozenset({"Completed", "Error"})
"""Reasons; others, such as OOMKilled, say that somebody else ended it, or nobody knows who."""


@dataclass(frozen=True)
class Stop:
    """A container's end, as of one that was told to."""

    t: float
    """When the watch heard of it, unix seconds."""
    broken_off: bool
    """It may as well have broken down by itself."""

    def soon_after(self, t: float) -> bool:
        """Tell whether what was done at a moment may have ended it."""
        return 0 <= self.t - t <= _WITHIN_S


States = Sequence[tuple[float, Mapping[str, Any], bool]]
"""A pod's: since when it was so, what it was, and whether it went with it."""


def states(case: Case, pod: ObjectRef) -> States:
    """Return what a pod was since the turn began; the whole watch is read for it."""
    return [(t, raw, gone) for t, ref, raw, gone in since_the_turn(case) if ref == pod]


def told(seen: States) -> Iterator[Stop]:
    """Yield the ends of containers of a pod that had not been started anew since the turn began.

    One that has is a container that ends by itself, or is the agent's by an earlier command.

    Args:
        seen: the pod's states.
    """
    known: dict[str, str] = {}
    last: Mapping[str, Any] = {}
    for t, raw, gone in seen:
        if gone or leaving(raw):
            return
        now = _running(raw)
        for name, one in _running(last).items():
            code = _code(raw, name, one)
            if now.get(name) == one or one != known[name]:
                continue
            # One that broke down so before does it by itself.
            broken_off = code in _BROKEN_OFF and code not in _codes(last, name)
            if code in _TOLD or broken_off:
                yield Stop(t, broken_off)
        known, last = now | known, raw


def ran_on(case: Case, pod: ObjectRef, seen: States, t: float) -> bool:
    """Tell whether nothing ended in a pod's containers, until it was told to go or to the end.

    Args:
        case: the record; without a watch nobody knows.
        pod: whose containers.
        seen: its states.
        t: since when, unix seconds.
    """
    ran: Mapping[str, str] = {}
    for at, raw, gone in seen if case.record.watch else ():
        now = _running(raw)
        if at <= t:
            ran = now
        elif gone or leaving(raw):
            return bool(ran)
        elif any(now.get(name) != one for name, one in ran.items()):
            return False
    end = case.record.snapshots.get("end")
    left = _running(mapping(end.objects.get(pod))) if end else {}
    return bool(ran) and ran.items() <= left.items()


def _running(pod: Mapping[str, Any]) -> dict[str, str]:
    """Return the IDs of the containers that run, by their names."""
    return {
        str(status.get("name")): str(status.get("containerID"))
        for status in _statuses(pod)
        if mapping(status.get("state")).get("running") is not None
    }


def _code(pod: Mapping[str, Any], name: str, one: str) -> object:
    """Return the exit code of a container, by its ID; None: nobody knows why it ended."""
    for end in _ends(pod, name):
        if end.get("containerID") == one and end.get("reason") in _KNOWN:
            return end.get("exitCode")
    return None


def _codes(pod: Mapping[str, Any], name: str) -> list[object]:
    """Return with which exit codes containers of a name have ended."""
    return [end.get("exitCode") for end in _ends(pod, name)]


def _ends(pod: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [
        mapping(mapping(status.get(state)).get("terminated"))
        for status in _statuses(pod)
        if status.get("name") == name
        for state in ("state", "lastState")
    ]


def _statuses(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(mapping(pod.get("status")).get("containerStatuses"))
