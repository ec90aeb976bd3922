"""Differences between states of objects, as a report shows them."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from faultyard.model.actors import Actor
from faultyard.model.case import Case
from faultyard.model.diff import ABSENT, Absent, ChangeKind, FieldChange, ObjectChange, compare
from faultyard.model.fields import Leaf, Path, render
from faultyard.model.normal import NormalObject, State, normalise
from faultyard.model.refs import ObjectRef
from faultyard.reports.excerpts import shortened


@dataclass(frozen=True)
class FieldRow:
    """One field and its values; `lines` instead of them where both are texts of many lines."""

    path: str
    before: str | None
    """None: the field was not there."""
    after: str | None
    lines: tuple[tuple[str, str], ...] = ()
    """(`+`, `-` or a blank; the line)."""


@dataclass(frozen=True)
class Left:
    """An object that is not as it was when the turn began."""

    ref: str
    kind: str
    judgement: str
    """How it compares with known-good, in words."""
    good: bool
    by: str
    """Who wrote to it."""
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True)
class Injected:
    """An object that the harness changed, in three states."""

    ref: str
    kind: str
    by: str
    """fault or decoy."""
    rows: tuple[tuple[str, str, str, str], ...]
    """Field, before, injected, end."""


def field_rows(fields: Iterable[FieldChange]) -> tuple[FieldRow, ...]:
    """Return the rows of changed fields."""
    return tuple(_row(field) for field in fields)


def left(case: Case) -> list[Left]:
    """Return what differs between *injected* and *end*."""
    wrong = {change.ref: change for change in case.left_wrong}
    return [_left(case, change, wrong.get(change.ref)) for change in case.changed]


def injected(case: Case) -> list[Injected]:
    """Return what the fault and then the decoys changed, and what became of it."""
    shot = case.record.snapshots.get("before")
    if shot is None or "injected" not in case.record.snapshots:
        return []
    before = normalise(shot, case.record.trial.session_refs)
    declared = {change.ref: change.by for change in case.record.trial.declared_changes}
    found = [
        Injected(
            str(change.ref),
            change.kind.value,
            declared.get(change.ref, "nobody declared it"),
            tuple(_states(case, before, change)),
        )
        for change in compare(before, case.injected)
    ]
    return sorted(found, key=lambda each: each.by != "fault")


def value_text(value: Leaf | Absent) -> str | None:
    """Return a value as JSON writes it, cut where it is very long; None: absent."""
    if isinstance(value, Absent):
        return None
    return shortened(json.dumps(value, ensure_ascii=False))


def text_row(path: str, before: str, after: str) -> FieldRow:
    """Return a row that shows the lines in which two texts differ."""
    return FieldRow(path, None, None, tuple(_lines(before, after)))


def writers(case: Case, ref: ObjectRef) -> str:
    """Return who wrote to an object since the turn began, in words."""
    names = {Actor.AGENT: "the agent", Actor.OTHER: "somebody's credentials"}
    by = sorted({case.actor(event) for event in case.writes_to(ref)})
    return ", ".join(names.get(actor, actor.value) for actor in by) or "no recorded request"


def _row(field: FieldChange) -> FieldRow:
    path = render(field.path)
    before, after = field.before, field.after
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        return text_row(path, before, after)
    return FieldRow(path, value_text(before), value_text(after))


def _lines(before: str, after: str) -> Iterable[tuple[str, str]]:
    old, new = shortened(before).splitlines(), shortened(after).splitlines()
    for line in list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:]:
        yield (" ", "⋮") if line.startswith("@@") else (line[:1], line[1:])


def _left(case: Case, change: ObjectChange, wrong: ObjectChange | None) -> Left:
    judgement, good = "as known-good again", True
    if wrong is not None:
        rest = wrong.without(case.boundary.fields(change.ref))
        good = rest.empty or case.boundary.free(change.ref)
        judgement = (
            "other than known-good, in fields that the boundary allows"
            if good
            else "other than known-good"
        )
    return Left(
        str(change.ref),
        change.kind.value,
        judgement,
        good,
        writers(case, change.ref),
        field_rows(change.fields),
    )


def _states(case: Case, before: State, change: ObjectChange) -> Iterable[tuple[str, str, str, str]]:
    states = (before.get(change.ref), case.injected.get(change.ref), case.end.get(change.ref))
    if not change.fields:
        there = ["there" if state else "not there" for state in states]
        yield ("the object", there[0], there[1], there[2])
    elif change.kind is ChangeKind.RECREATED:
        yield ("the object", "there", "made anew", "there" if states[2] else "not there")
    for field in change.fields:
        one, two, three = (_value(state, field.path) for state in states)
        yield (render(field.path), one, two, three)


def _value(state: NormalObject | None, path: Path) -> str:
    if state is None:
        return "(no object)"
    return value_text(state.fields.get(path, ABSENT)) or "(absent)"
