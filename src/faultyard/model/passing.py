"""Passing states: what of an object was other meanwhile, though at the end it is as it was.

Two snapshots of a change that was taken back are equal, in all fields or in those; the watch has
what lay between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faultyard.model.diff import ChangeKind, FieldChange, ObjectChange, compare_fields
from faultyard.model.fields import Path
from faultyard.model.normal import NormalObject, State, is_derived, normal_object
from faultyard.model.refs import ObjectRef
from faultyard.model.snapshots import Snapshot
from faultyard.model.watch import Change, by_object, version


@dataclass(frozen=True)
class Passing:
    """An object that was other than it is, or was there and is not."""

    change: ObjectChange
    """CHANGED: with every field that differed meanwhile, as it first differed, and is as before
    again; others of the object may have changed for good. ADDED: it came and went."""
    since: float
    """Unix seconds."""
    until: float
    """When it was as before again."""
    states: tuple[Change, ...]
    """What the watch has of it."""

    @property
    def ref(self) -> ObjectRef:
        """The object."""
        return self.change.ref


def passing(changes: Iterable[Change], first: Snapshot, start: State, end: State) -> list[Passing]:
    """Return what passed, sorted by reference; of objects that are in neither state too.

    Args:
        changes: what the watch saw from the first snapshot's time to the end's.
        first: the snapshot with which the turn began.
        start: its state in normal form.
        end: the state at the end.
    """
    found = []
    for ref, heard in sorted(by_object(changes).items()):
        before, after = start.get(ref), end.get(ref)
        states = later(heard, first.objects.get(ref))
        if before is None and after is None:
            if ref not in first.objects and not is_derived(ref, heard[-1].raw):
                change = ObjectChange(ref, ChangeKind.ADDED)
                found.append(Passing(change, heard[0].t, heard[-1].t, tuple(heard)))
        elif before is not None and after is not None and before.uid == after.uid:
            found += _changed_back(ref, states, before, after)
    return found


def later(heard: Sequence[Change], raw: Mapping[str, Any] | None) -> Sequence[Change]:
    """Return the states that came after the one in the snapshot.

    Args:
        heard: of one object, in their order.
        raw: the object in the snapshot; None: it has none.
    """
    seen = [i for i, change in enumerate(heard) if raw and change.version == version(raw)]
    return heard[seen[-1] + 1 :] if seen else heard


def _changed_back(
    ref: ObjectRef, states: Sequence[Change], was: NormalObject, left: NormalObject
) -> list[Passing]:
    differing: dict[Path, FieldChange] = {}
    other: list[int] = []
    lasting = {field.path for field in compare_fields(was.fields, left.fields)}
    for index, state in enumerate(states):
        seen = compare_fields(was.fields, normal_object(ref, state.raw).fields)
        fields = [field for field in seen if field.path not in lasting]
        other += [index] if fields else []
        for field in fields:
            differing.setdefault(field.path, field)
    if not other:
        return []
    change = ObjectChange(
        ref, ChangeKind.CHANGED, tuple(differing[path] for path in sorted(differing))
    )
    back = states[min(other[-1] + 1, len(states) - 1)]
    return [Passing(change, states[other[0]].t, back.t, tuple(states))]
