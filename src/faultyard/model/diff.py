"""Differences between two states, object by object and field by field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from faultyard.model.fields import Fields, Leaf, Path, covers, render
from faultyard.model.normal import NormalObject, State
from faultyard.model.refs import ObjectRef


class ChangeKind(StrEnum):
    """What happened to an object."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RECREATED = "recreated"
    """The name is the same, the UID is not: it was deleted and made anew."""


class Absent:
    """The value of a field that is not there; `null` is a value."""

    def __repr__(self) -> str:
        return "(absent)"


ABSENT = Absent()


@dataclass(frozen=True)
class FieldChange:
    """One field with its value on both sides."""

    path: Path
    before: Leaf | Absent
    after: Leaf | Absent

    def __str__(self) -> str:
        return f"{render(self.path)}: {self.before!r} → {self.after!r}"


@dataclass(frozen=True)
class ObjectChange:
    """One object that differs; `fields` is empty if it is only added, removed or recreated."""

    ref: ObjectRef
    kind: ChangeKind
    fields: tuple[FieldChange, ...] = ()

    def without(self, allowed: Iterable[Path]) -> ObjectChange:
        """Return the change without the fields that `allowed` covers."""
        patterns = tuple(allowed)
        kept = (f for f in self.fields if not any(_covered(p, f) for p in patterns))
        return ObjectChange(self.ref, self.kind, tuple(kept))

    @property
    def empty(self) -> bool:
        """Nothing differs."""
        return self.kind is ChangeKind.CHANGED and not self.fields


def compare(base: State, other: State) -> list[ObjectChange]:
    """Return what differs from `base` to `other`, sorted by reference."""
    changes = []
    for ref in sorted(base.keys() | other.keys()):
        change = compare_object(ref, base.get(ref), other.get(ref))
        if change is not None:
            changes.append(change)
    return changes


def compare_object(
    ref: ObjectRef, before: NormalObject | None, after: NormalObject | None
) -> ObjectChange | None:
    """Return how one object differs; None: it does not."""
    if before is None or after is None:
        if before is after:
            return None
        return ObjectChange(ref, ChangeKind.ADDED if before is None else ChangeKind.REMOVED)
    fields = tuple(compare_fields(before.fields, after.fields))
    if before.uid is not None and after.uid is not None and before.uid != after.uid:
        return ObjectChange(ref, ChangeKind.RECREATED, fields)
    return ObjectChange(ref, ChangeKind.CHANGED, fields) if fields else None


def compare_fields(before: Fields, after: Fields) -> list[FieldChange]:
    """Return the fields that differ, sorted by path."""
    return [
        FieldChange(path, before.get(path, ABSENT), after.get(path, ABSENT))
        for path in sorted(before.keys() | after.keys())
        if _differs(before.get(path, ABSENT), after.get(path, ABSENT))
    ]


def _covered(pattern: Path, change: FieldChange) -> bool:
    # Emptying the last of `spec.selector.app` leaves `spec.selector: {}` behind.
    emptied = {change.before, change.after} <= {"{}", "[]", ABSENT}
    return covers(pattern, change.path) or (emptied and covers(change.path, pattern))


def _differs(one: Leaf | Absent, other: Leaf | Absent) -> bool:
    # True == 1 in Python, but not in an object's field.
    return type(one) is not type(other) or one != other
