"""Requests by the objects that they reach, so that nobody has to look at each for each object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain

from faultyard.model.audit import Event
from faultyard.model.refs import ObjectRef


def creations(events: Iterable[Event]) -> Mapping[ObjectRef, list[Event]]:
    """Return the requests to make a pod, accepted or not, by the pod."""
    found: dict[ObjectRef, list[Event]] = defaultdict(list)
    for event in events:
        if (event.resource, event.verb, event.subresource) == ("pods", "create", ""):
            found[ObjectRef("Pod", event.namespace, event.name)].append(event)
    return found


class Writes:
    """Stored requests by what they reach: an object, its collection, its owner, its namespace."""

    def __init__(self, events: Iterable[Event], target: Callable[[Event], ObjectRef]) -> None:
        """Arrange them.

        Args:
            events: in their order.
            target: the object of a request.
        """
        self._to: dict[ObjectRef, list[tuple[int, Event]]] = defaultdict(list)
        self._deletions: dict[ObjectRef, list[tuple[int, Event]]] = defaultdict(list)
        self._collections: dict[tuple[str, str], list[tuple[int, Event]]] = defaultdict(list)
        for place, event in enumerate(events):
            ref = target(event)
            self._to[ref].append((place, event))
            if event.verb == "delete":
                self._deletions[ref].append((place, event))
            elif event.verb == "deletecollection":
                self._collections[ref.kind, ref.namespace].append((place, event))

    def reaching(self, ref: ObjectRef, owners: Iterable[ObjectRef]) -> list[Event]:
        """Return the requests that reach an object, in their order.

        Args:
            ref: the object.
            owners: what it goes with.
        """
        above = {ObjectRef("Namespace", "", ref.namespace), *owners}
        reaching = dict(
            chain(
                self._to.get(ref, ()),
                *(self._collections.get((ref.kind, place), ()) for place in {ref.namespace, ""}),
                *(self._deletions.get(owner, ()) for owner in above),
            )
        )
        return [reaching[place] for place in sorted(reaching)]
