"""Writes that ended in a server's error, and were stored all the same.

Whoever asks with a time-out of milliseconds is told 504, and the write goes on. The watch saw what
came of it: such a request counts as the accepted write that it was.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from faultyard.model.audit import Effect, Event
from faultyard.model.deletions import told_apart
from faultyard.model.normal import normal_object
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.snapshots import Snapshot
from faultyard.model.watch import Change, Entry, Watch, version

WITHIN_S: Final = 10.0
"""So long after a request came in it may still be stored."""
_DRAWN: Final = 5
"""Characters that the server adds to a `generateName`, which it cuts to the length before."""
_STEM: Final = 63 - _DRAWN
_NODE: Final = "system:node:"
_Raw = Mapping[str, Any]
_Target = Callable[[Event], ObjectRef]


def settled(
    events: Sequence[Event], watch: Watch | None, start: Snapshot | None, target: _Target
) -> Iterator[Event]:
    """Yield events, those that were stored though they ended in an error as accepted writes.

    Their answers are what the watch saw, which is what the server would have answered.

    Args:
        events: of an audit log, in their order.
        watch: None: nobody saw what came of them.
        start: the snapshot that the watch goes on from.
        target: the object of a request.
    """
    unsure = [event for event in events if event.effect is Effect.UNCERTAIN]
    if watch is None or not unsure:
        yield from events
        return
    seen = _seen(watch, start, _Answered(events, target), {target(event) for event in unsure})
    for event in events:
        yield _settled(event, target(event), seen) if event.effect is Effect.UNCERTAIN else event


class _States:
    """States of one object, in the order in which they were heard."""

    def __init__(self) -> None:
        self._at: list[float] = []
        self._raws: list[_Raw] = []

    def add(self, change: Change) -> None:
        self._at.append(change.t)
        self._raws.append(change.raw)

    def after(self, moment: float) -> _Raw | None:
        """Return the first that was heard soon after a moment."""
        index = bisect_left(self._at, moment)
        soon = index < len(self._at) and self._at[index] <= moment + WITHIN_S
        return self._raws[index] if soon else None


class _Seen:
    """What the watch saw that no answered request explains."""

    def __init__(self) -> None:
        self.made: dict[ObjectRef, _States] = defaultdict(_States)
        self.drawn: dict[ObjectRef, deque[Change]] = defaultdict(deque)
        """What was made, by the name without what the server may have added to it."""
        self.bent: dict[ObjectRef, _States] = defaultdict(_States)
        self.gone: dict[ObjectRef, _States] = defaultdict(_States)
        self.swept: dict[tuple[str, str], deque[Change]] = defaultdict(deque)
        """What is gone, by kind and namespace; by no namespace too."""

    def make(self, change: Change) -> None:
        self.made[change.ref].add(change)
        self.drawn[replace(change.ref, name=change.ref.name[:-_DRAWN])].append(change)

    def end(self, change: Change) -> None:
        self.gone[change.ref].add(change)
        for namespace in {change.ref.namespace, ""}:
            self.swept[change.ref.kind, namespace].append(change)


class _Answered:
    """What accepted requests explain."""

    def __init__(self, events: Iterable[Event], target: _Target) -> None:
        self.made: set[str] = set()
        """UIDs."""
        self.versions: dict[tuple[str, str], float] = {}
        """UID and version -> when the request came in."""
        self.gone: dict[str, float] = {}
        """UID -> when somebody asked for its end."""
        self.evicted: dict[ObjectRef, float] = {}
        """When it was asked for last; the answer has no UID."""
        for event in told_apart(events):
            if event.effect is Effect.WRITE:
                self._take(event, target)

    def _take(self, event: Event, target: _Target) -> None:
        uid, number = version(event.response or {})
        if event.subresource == "eviction":
            self.evicted[target(event)] = event.received
        elif event.verb.startswith("delete"):
            # A kubelet ends what somebody else has told to go.
            if not event.username.startswith(_NODE):
                details = mapping(mapping(event.response).get("details"))
                for known in {uid, str(details.get("uid"))}:
                    self.gone.setdefault(known, event.received)
        else:
            self.versions.setdefault((uid, number), event.received)
            if event.verb == "create" or event.code == 201:
                self.made.add(uid)

    def bends(self, change: Change) -> bool:
        return self.versions.get(change.version, change.t + 1) <= change.t

    def ends(self, change: Change) -> bool:
        asked = self.evicted.get(change.ref)
        evicted = asked is not None and asked <= change.t <= asked + WITHIN_S
        return evicted or self.gone.get(change.version[0], change.t + 1) <= change.t


def _seen(
    watch: Watch, start: Snapshot | None, answered: _Answered, asked: set[ObjectRef]
) -> _Seen:
    """Return what happened to objects of the kinds that were asked for."""
    kinds = {ref.kind for ref in asked}
    objects = start.objects if start else {}
    last = {ref: raw for ref, raw in objects.items() if ref in asked}
    known = {version(raw)[0] for raw in objects.values()}
    ending: set[str] = set()
    seen = _Seen()
    for change in watch.changes:
        if change.ref.kind not in kinds:
            continue
        uid = change.version[0]
        if uid not in known and change.entry is Entry.ADDED and uid not in answered.made:
            seen.make(change)
        elif _leaves(change):
            if uid not in ending and not answered.ends(change):
                seen.end(change)
            ending.add(uid)
        elif uid in known and change.ref in asked and _bends(change, last, answered):
            seen.bent[change.ref].add(change)
        known.add(uid)
        if change.ref in asked:
            last[change.ref] = change.raw
    return seen


def _leaves(change: Change) -> bool:
    """Tell whether an object is gone, or goes as soon as it may."""
    told = bool(mapping(change.raw.get("metadata")).get("deletionTimestamp"))
    return told or change.entry is Entry.DELETED


def _bends(change: Change, last: Mapping[ObjectRef, _Raw], answered: _Answered) -> bool:
    """Tell whether a decision is another than it was, and no answer says whose it is."""
    if answered.bends(change):
        return False
    before = last.get(change.ref)
    # What controllers report is nobody's decision.
    now = normal_object(change.ref, change.raw)
    return before is None or now != normal_object(change.ref, before)


def _settled(event: Event, ref: ObjectRef, seen: _Seen) -> Event:
    if event.subresource == "eviction" or event.verb == "delete":
        return _accepted(event, seen.gone.get(ref))
    if event.verb == "deletecollection":
        took = _next(seen.swept.get((ref.kind, ref.namespace)), event)
        listed = {"items": [change.raw for change in took]}
        return replace(event, effect=Effect.WRITE, response=listed) if took else event
    if event.verb != "create":
        # Whoever applies what is not there makes it.
        made = _accepted(replace(event, verb="create"), seen.made.get(ref))
        return made if made.effect is Effect.WRITE else _accepted(event, seen.bent.get(ref))
    if event.subresource:
        return event
    return _accepted(event, seen.made.get(ref)) if event.name else _drawn(event, ref, seen)


def _accepted(event: Event, states: _States | None) -> Event:
    came = states.after(event.received) if states else None
    return event if came is None else replace(event, effect=Effect.WRITE, response=came)


def _drawn(event: Event, ref: ObjectRef, seen: _Seen) -> Event:
    """Settle a request for an object whose name the server draws: each has made one at most."""
    stem = str(mapping(mapping(event.request).get("metadata")).get("generateName") or "")
    waiting = seen.drawn.get(replace(ref, name=stem[:_STEM])) if stem else None
    for change in _next(waiting, event, most=1):
        return replace(event, effect=Effect.WRITE, name=change.ref.name, response=change.raw)
    return event


def _next(waiting: deque[Change] | None, event: Event, most: int | None = None) -> list[Change]:
    """Take what came soon after a request; what a request has explained no later one does."""
    found: list[Change] = []
    while waiting and len(found) != most and waiting[0].t <= event.received + WITHIN_S:
        change = waiting.popleft()
        if change.t >= event.received:
            found.append(change)
    return found
