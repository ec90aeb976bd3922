"""What a request asked for and what came of it, as differences where the log tells them.

The log has the answer to every write, which is the object as it then was. So a patch of any
kind, an apply and a replacement are all shown alike: by the fields that they changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from faultyard.model import cluster_json
from faultyard.model.actors import STORED
from faultyard.model.audit import Event
from faultyard.model.case import Case
from faultyard.model.diff import compare_fields
from faultyard.model.fields import Fields
from faultyard.model.normal import normal_object
from faultyard.model.refs import ObjectRef, ref_of
from faultyard.reports.changes import FieldRow, field_rows
from faultyard.reports.excerpts import Room


@dataclass(frozen=True)
class Body:
    """One request's content."""

    fields: tuple[FieldRow, ...]
    """What it changed; empty if that cannot be told, or was nothing."""
    note: str
    """What came of it in words, if anything is to be said."""
    sent: str
    """What was sent, as YAML; empty: nothing."""
    client: str
    """The program that sent it, as it called itself."""
    path: str
    """What was asked for, as a URL's path."""


class Bodies:
    """Tells requests' bodies for one case.

    Args:
        case: the record.
        log: the content of audit.jsonl, for what events leave out.
    """

    def __init__(self, case: Case, log: bytes) -> None:
        self._case = case
        self._lines = log.splitlines()
        self._room = Room()
        self._earlier = self._states_before(case.acts)

    def of(self, event: Event) -> Body:
        """Return the body of one request of the turn."""
        raw = cluster_json.loads(self._lines[event.line - 1])
        fields, note = self._outcome(event)
        return Body(
            fields,
            note,
            self._room.fit(raw.get("requestObject"), event.where()),
            str(raw.get("userAgent", "")),
            str(raw.get("requestURI", "")),
        )

    def _outcome(self, event: Event) -> tuple[tuple[FieldRow, ...], str]:
        if event.effect not in STORED:
            return (), str((event.response or {}).get("message") or "")
        earlier = self._earlier.get(event.line)
        after = self._answered(event)
        if event.verb in ("delete", "deletecollection"):
            return (), "deleted"
        if after is None or event.verb == "create":
            return (), "made" if event.verb == "create" and not event.subresource else ""
        if earlier is None:
            return (), "what it was before is not recorded"
        changed = field_rows(compare_fields(earlier, after))
        return changed, "" if changed else "changed nothing"

    def _states_before(self, acts: Iterable[Event]) -> dict[int, Fields | None]:
        """Return, by line of the log, the state that each request found its object in."""
        wanted = {self._case.target(event) for event in acts if event.effect in STORED}
        lines = {event.line for event in acts}
        shot = self._case.record.snapshots.get("injected")
        if shot is None:
            return {}
        current: dict[ObjectRef, Fields | None] = {
            ref: normal_object(ref, shot.objects[ref]).fields
            for ref in wanted
            if ref in shot.objects
        }
        found: dict[int, Fields | None] = {}
        for event in self._case.record.events:
            ref = self._case.target(event)
            if event.received < shot.taken_at or ref not in wanted or event.effect not in STORED:
                continue
            if event.line in lines:
                found[event.line] = current.get(ref)
            after = self._answered(event)
            if after is not None:
                current[ref] = after
            elif event.verb == "delete":
                current[ref] = None
        return found

    def _answered(self, event: Event) -> Fields | None:
        """Return the object that a write was answered with, if it is the one written to."""
        if event.response is None or event.verb in ("delete", "deletecollection"):
            return None
        ref = self._case.target(event)
        try:
            answered = ref_of(event.response)
        except ValueError:
            return None
        return normal_object(ref, event.response).fields if answered == ref else None
