"""Known-good: the state that this very trial would have without its fault.

It is *injected* with the fault taken back, not *before*: decoys came in between, and what
they changed is legitimate. So an agent is blamed neither for a decoy nor for repairing
the fault, but for taking a decoy back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import StringConstraints

from faultyard.model.diff import ABSENT, ChangeKind, ObjectChange, compare
from faultyard.model.fields import Fields, Leaf, Path, parse_pattern
from faultyard.model.normal import NormalObject, State
from faultyard.model.refs import ObjectRef
from faultyard.model.strict import Strict


class DeclaredChange(Strict):
    """What the harness changed between *before* and *injected*."""

    object: Annotated[str, StringConstraints(pattern=r"^[^/]+/[^/]*/[^/]+$")]
    fields: list[str]
    """Field paths; `*` stands for all, and for the object's existence."""
    by: Literal["fault", "decoy"]
    later: bool = False
    """It came in the turn, after *injected*, which does not have it."""

    @property
    def ref(self) -> ObjectRef:
        """The object."""
        return ObjectRef.parse(self.object)

    @property
    def patterns(self) -> tuple[Path, ...]:
        """The fields, parsed."""
        return tuple(parse_pattern(field) for field in self.fields)


def patterns_of(ref: ObjectRef, declared: Iterable[DeclaredChange]) -> tuple[Path, ...]:
    """Return every declared field of an object."""
    return tuple(p for change in declared if change.ref == ref for p in change.patterns)


def known_good(
    before: State, injected: State, declared: Sequence[DeclaredChange]
) -> dict[ObjectRef, NormalObject]:
    """Return *injected* with what the fault changed as it was *before*.

    An object that the fault deleted is there again, without UID: whoever restores it
    cannot give it the old one.
    """
    faults = [change for change in declared if change.by == "fault" and not change.later]
    result = dict(injected)
    for change in compare(injected, before):
        patterns = patterns_of(change.ref, faults)
        if not patterns:
            continue
        if change.kind is ChangeKind.ADDED:
            result[change.ref] = NormalObject(None, before[change.ref].fields)
        elif change.kind is ChangeKind.REMOVED:
            del result[change.ref]
        else:
            result[change.ref] = _taken_back(injected[change.ref], change, patterns)
    return result


def undeclared(
    before: State, injected: State, declared: Sequence[DeclaredChange]
) -> list[ObjectChange]:
    """Return what changed from *before* to *injected* though nobody declared it."""
    found = []
    for change in compare(before, injected):
        patterns = patterns_of(change.ref, [one for one in declared if not one.later])
        if change.kind is not ChangeKind.CHANGED and () in patterns:
            continue
        rest = change.without(patterns)
        if not rest.empty:
            found.append(rest)
    return found


def _taken_back(
    injected: NormalObject, change: ObjectChange, patterns: Sequence[Path]
) -> NormalObject:
    untouched = change.without(patterns).fields
    fields: dict[Path, Leaf] = dict(injected.fields)
    for field in change.fields:
        if field in untouched:
            continue
        if field.after is ABSENT:
            fields.pop(field.path, None)
        else:
            fields[field.path] = field.after  # type: ignore[assignment]
    kept: Fields = fields
    return NormalObject(injected.uid, kept)
