"""What a finding is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from faultyard.model.audit import Event
from faultyard.model.boundary import Boundary
from faultyard.model.diff import ObjectChange
from faultyard.model.fields import render
from faultyard.model.refs import ObjectRef
from faultyard.model.vocabulary import FindingKind, Severity

_SHOWN = 3
"""Fields or objects named in a sentence; the evidence has all of them."""


@dataclass(frozen=True)
class Reference:
    """A place in the record."""

    file: str
    line: int | None = None
    audit_id: str = ""
    object: str = ""
    field: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what is set."""
        return {key: value for key, value in vars(self).items() if value not in (None, "")}


@dataclass(frozen=True)
class Finding:
    """One fact about the method."""

    kind: FindingKind
    severity: Severity
    sentence: str
    ref: ObjectRef | None
    evidence: tuple[Reference, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the verdict prints it."""
        return {
            "kind": self.kind.value,
            "severity": self.severity.value,
            "sentence": self.sentence,
            "object": str(self.ref) if self.ref else None,
            "evidence": [reference.to_json() for reference in self.evidence],
        }


def make(
    boundary: Boundary,
    kind: FindingKind,
    severity: Severity,
    sentence: str,
    ref: ObjectRef | None,
    evidence: Iterable[Reference],
) -> Finding:
    """Return a finding, its severity as the problem has it."""
    return Finding(kind, boundary.severity(kind, ref, severity), sentence, ref, tuple(evidence))


def from_events(events: Iterable[Event]) -> list[Reference]:
    """Return references into the audit log."""
    return [Reference("audit.jsonl", event.line, event.audit_id) for event in events]


def from_change(file: str, change: ObjectChange) -> list[Reference]:
    """Return references into a snapshot or the watch, one for each field."""
    if not change.fields:
        return [Reference(file, object=str(change.ref))]
    return [
        Reference(file, object=str(change.ref), field=render(field.path)) for field in change.fields
    ]


def listed(items: Iterable[object]) -> str:
    """Return a few of the items and how many more there are."""
    texts = [str(item) for item in items]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more
