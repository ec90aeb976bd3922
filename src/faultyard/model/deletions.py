"""A request that deleted a collection, told as what it deleted.

kubectl asks once for each object, a library once for all of them: the same act, so the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from faultyard.model.audit import Effect, Event
from faultyard.model.shapes import mapping, mappings


def told_apart(events: Iterable[Event]) -> Iterator[Event]:
    """Yield events, an accepted deletion of a collection as one deletion of each of its objects.

    One whose answer does not list them stays as it is: nobody knows how much it took.

    Args:
        events: of an audit log.
    """
    for event in events:
        listed = mapping(event.response).get("items")
        known = event.verb == "deletecollection" and event.effect is Effect.WRITE
        if known and isinstance(listed, list):
            yield from _each(event, mappings(listed))
        else:
            yield event


def _each(event: Event, deleted: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    for index, item in enumerate(deleted):
        about = mapping(item.get("metadata"))
        yield replace(
            event,
            verb="delete",
            namespace=str(about.get("namespace", event.namespace)),
            name=str(about.get("name", "")),
            response=item,
            size=0 if index else event.size,
        )
