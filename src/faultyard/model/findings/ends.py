"""Accepted requests that ended something: deletions, and evictions of pods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from faultyard.model.audit import Effect, Event
from faultyard.model.case import Case
from faultyard.model.findings.finding import Reference, from_events
from faultyard.model.pods import ended
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.watch import Change, by_object

_ENDING: Final = frozenset({("delete", ""), ("create", "eviction")})


@dataclass(frozen=True)
class End:
    """An accepted request that ended something."""

    event: Event
    ref: ObjectRef
    owner: ObjectRef
    """The workload that it belongs to; itself if to none."""
    before: Mapping[str, Any]
    """The object as it was when the request came in; empty: nobody knows."""

    @property
    def t(self) -> float:
        """Unix seconds."""
        return self.event.received

    @property
    def key(self) -> tuple[int, ObjectRef]:
        """What no other has: a request may have ended many things."""
        return self.event.line, self.ref

    @property
    def evidence(self) -> Reference:
        """Its place in the record."""
        (reference,) = from_events([self.event])
        return reference

    @property
    def uid(self) -> str:
        """Of what was ended: another may have had its name. Empty: not known."""
        answer = mapping(self.event.response)
        told = mapping(answer.get("metadata")).get("uid") or mapping(answer.get("details")).get(
            "uid"
        )
        return str(told or mapping(self.before.get("metadata")).get("uid") or "")

    @property
    def node(self) -> str:
        """Where a pod was; empty: nowhere yet."""
        return str(mapping(self.before.get("spec")).get("nodeName") or "")

    @property
    def over(self) -> bool:
        """Whether it is known of a pod that nothing in it ran: it had ended, or had no node."""
        known = self.ref.kind == "Pod" and bool(self.before)
        return known and (not self.node or ended(self.before))

    @property
    def forced(self) -> bool:
        """Whether the server was to take a pod for ended without waiting for its node."""
        request, answer = mapping(self.event.request), mapping(self.event.response)
        options = mapping(request.get("deleteOptions")) if self.event.subresource else request
        # What the query asks for only the answer shows; there, none is also what a pod may want.
        usual = mapping(answer.get("spec")).get("terminationGracePeriodSeconds")
        told = mapping(answer.get("metadata")).get("deletionGracePeriodSeconds")
        return options.get("gracePeriodSeconds") == 0 or (told == 0 and usual != 0)


def of(case: Case) -> list[End]:
    """Return what the agent ended since the turn began, in the order of its requests."""
    states = by_object(case.record.watch.changes if case.record.watch else ())
    found = []
    for event in case.acts:
        if event.effect is Effect.WRITE and (event.verb, event.subresource) in _ENDING:
            ref = case.target(event)
            before = _before(states.get(ref, []), event) or case.any_raw(ref) or {}
            found.append(End(event, ref, case.owner(ref, event), before))
    return found


def empties(case: Case, end: End) -> bool:
    """Tell whether a pod was told to leave a node that the boundary names, and given its time.

    Such a node is there to be mended, and so to be emptied, whoever's pods are on it; but one that
    nobody makes anew elsewhere would be gone for good.
    """
    made_anew = end.ref.kind == "Pod" and end.owner != end.ref
    return made_anew and not end.forced and end.node in case.boundary.nodes


def _before(states: list[Change], event: Event) -> Mapping[str, Any] | None:
    seen = (c.raw for c in reversed(states) if c.t <= event.received)
    return next(seen, None)
