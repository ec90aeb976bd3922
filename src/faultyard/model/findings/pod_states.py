"""What pods were, one state after the other, since the turn began."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faultyard.model.case import Case
from faultyard.model.refs import ObjectRef
from faultyard.model.watch import Entry


def since_the_turn(case: Case) -> Iterator[tuple[float, ObjectRef, Mapping[str, Any], bool]]:
    """Yield every state of every pod: since when it was so, and whether the pod went with it.

    Args:
        case: the record; without a watch only what was there when the turn began is known.
    """
    first = case.record.snapshots.get("injected")
    began, there = (first.taken_at, first.objects) if first else (0, {})
    for ref, raw in there.items():
        if ref.kind == "Pod":
            yield began, ref, raw, False
    for change in case.record.watch.changes if case.record.watch else ():
        if change.ref.kind == "Pod" and change.t >= began:
            yield change.t, change.ref, change.raw, change.entry is Entry.DELETED
