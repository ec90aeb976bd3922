"""The watch: every state that objects passed through, between the snapshots too.

Snapshots tell what was left. What was changed and changed back, or came and went, is in the watch
alone; who did it is in the audit log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from faultyard.model import cluster_json
from faultyard.model.refs import ObjectRef, kind_name, ref_of
from faultyard.model.shapes import mapping
from faultyard.model.snapshots import Gap, ResourceKind, Snapshot

FILE: Final = "watch.jsonl"


class WatchError(ValueError):
    """A line is not what the harness writes."""


class Entry(StrEnum):
    """What a line of watch.jsonl tells."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    OPENED = "OPENED"
    """From here on a kind is watched."""
    CLOSED = "CLOSED"
    """The kind is not served any more at the end."""
    SKIPPED = "SKIPPED"
    """The kind is not watched; the line says why."""
    RELISTED = "RELISTED"
    """The server did not know any more what came next: what is there follows, as ADDED."""
    GAP = "GAP"
    """Changes of the kind are missing."""
    ENDED = "ENDED"
    """The watch was ended as it should be."""


_CHANGES: Final = frozenset({Entry.ADDED, Entry.MODIFIED, Entry.DELETED})


@dataclass(frozen=True)
class Change:
    """One object as it was after a change; before it, if it was deleted."""

    line: int
    """1-based line in watch.jsonl."""
    t: float
    """When the harness heard of it, unix seconds."""
    entry: Entry
    ref: ObjectRef
    raw: Mapping[str, Any]

    @property
    def version(self) -> tuple[str, str]:
        """UID and resource version: no two states of a cluster's objects share both."""
        return version(self.raw)


@dataclass(frozen=True)
class Relist:
    """A kind that had to be listed anew: from the line to `until`."""

    resource: str
    message: str
    line: int
    until: int


@dataclass(frozen=True)
class Watch:
    """What was seen by watching."""

    changes: tuple[Change, ...]
    """In the order in which they were heard of."""
    kinds: Mapping[tuple[str, str], ResourceKind]
    """(API group, plural resource) -> kind, of everything that was watched."""
    skipped: Mapping[str, str]
    """`resource.group` -> why it was not watched."""
    closed: frozenset[str]
    """`resource.group` of what was watched and is no longer served."""
    relists: tuple[Relist, ...]
    gaps: tuple[Gap, ...]
    ended: bool
    """False: it was cut off."""


def parse(content: bytes) -> Watch:
    """Read watch.jsonl.

    Raises:
        WatchError: a line is not what the harness writes, or the last one is cut off.
    """
    if content and not content.endswith(b"\n"):
        raise WatchError("the last line is cut off")
    reader = _Reader()
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            reader.take(number, cluster_json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WatchError(f"line {number}: {error!r}") from error
    return Watch(
        tuple(reader.changes),
        reader.kinds,
        reader.skipped,
        frozenset(reader.closed),
        tuple(reader.relists),
        tuple(reader.gaps),
        reader.last is Entry.ENDED,
    )


class _Reader:
    """Sorts lines into what they tell."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.kinds: dict[tuple[str, str], ResourceKind] = {}
        self.skipped: dict[str, str] = {}
        self.closed: set[str] = set()
        self.gaps: list[Gap] = []
        self.relists: list[Relist] = []
        self.last: Entry | None = None

    def take(self, number: int, raw: Mapping[str, Any]) -> None:
        """Take one line."""
        self.last = entry = Entry(raw["type"])
        if entry in _CHANGES:
            body = raw["object"]
            self.changes.append(Change(number, float(raw["t"]), entry, ref_of(body), body))
        elif entry is Entry.OPENED:
            place = (str(raw["group"]), str(raw["plural"]))
            kind = kind_name(str(raw["kind"]), place[0])
            self.kinds[place] = ResourceKind(kind, bool(raw["namespaced"]))
            self._open(resource_name(*place), number)
        elif entry is Entry.CLOSED:
            self.closed.add(str(raw["resource"]))
        elif entry is Entry.SKIPPED:
            self.skipped[str(raw["resource"])] = str(raw["message"])
        elif entry is Entry.RELISTED:
            resource, message = str(raw["resource"]), str(raw["message"])
            self.relists.append(Relist(resource, message, number, number))
        elif entry is Entry.GAP:
            self.gaps.append(Gap(str(raw["resource"]), str(raw["message"])))

    def _open(self, resource: str, number: int) -> None:
        self.closed.discard(resource)
        for index, relist in enumerate(self.relists):
            if relist.resource == resource and relist.until == relist.line:
                self.relists[index] = replace(relist, until=number)


def version(raw: Mapping[str, Any]) -> tuple[str, str]:
    """Return an object's UID and resource version."""
    metadata = mapping(raw.get("metadata"))
    return str(metadata.get("uid")), str(metadata.get("resourceVersion"))


def unseen(watch: Watch, before: Snapshot, end: Snapshot) -> list[Gap]:
    """Return what the last snapshot shows and the watch does not; none: it saw everything.

    What was watched must lead from the first snapshot to the last: each object's last version is
    one that was seen, and what is gone was seen being deleted.
    """
    watched = {kind.kind for kind in watch.kinds.values()}
    return [
        *_unwatched(watch, end),
        *_versions_unseen(watch, before, end, watched),
        *_deletions_unseen(watch, before, end, watched),
    ]


def _unwatched(watch: Watch, end: Snapshot) -> Iterator[Gap]:
    for group, plural in end.kinds.keys() - watch.kinds.keys():
        if resource_name(group, plural) not in watch.skipped:
            yield Gap(resource_name(group, plural), "it is served and was never watched")


def _versions_unseen(
    watch: Watch, before: Snapshot, end: Snapshot, watched: set[str]
) -> Iterator[Gap]:
    seen = {change.version for change in watch.changes}
    seen |= {version(raw) for raw in before.objects.values()}
    names = _names(watch)
    for ref, raw in end.objects.items():
        if ref.kind in watched and version(raw) not in seen:
            yield Gap(names[ref.kind], f"the last state of {ref} was not seen")


def _deletions_unseen(
    watch: Watch, before: Snapshot, end: Snapshot, watched: set[str]
) -> Iterator[Gap]:
    there = {version(raw)[0]: ref for ref, raw in before.objects.items() if ref.kind in watched}
    for change in watch.changes:
        # What came once the last snapshot was begun need not be in it.
        if change.entry is not Entry.DELETED and change.t < end.taken_at:
            there[change.version[0]] = change.ref
    gone = {change.version[0] for change in watch.changes if change.entry is Entry.DELETED}
    left = {version(raw)[0] for raw in end.objects.values()}
    names = _names(watch)
    # With a kind go all its objects; and what could not be listed says nothing of them.
    unknown = watch.closed | {gap.resource for gap in end.gaps}
    for uid, ref in there.items():
        if uid not in gone | left and names[ref.kind] not in unknown:
            yield Gap(names[ref.kind], f"{ref} is gone, and was not seen being deleted")


def _names(watch: Watch) -> dict[str, str]:
    return {kind.kind: resource_name(*place) for place, kind in watch.kinds.items()}


def resource_name(group: str, plural: str) -> str:
    """Return how gaps name a kind: `deployments.apps`, `pods.` as snapshots do."""
    return f"{plural}.{group}"


def lost(watch: Watch, before: Snapshot) -> list[Gap]:
    """Return the kinds that went on unseen before they were listed anew; none: nothing did.

    A list that shows only what was known already proves that no state was missed but those of
    objects that came and went meanwhile.
    """
    kinds = {resource_name(*place): kind.kind for place, kind in watch.kinds.items()}
    found = []
    for relist in watch.relists:
        kind = kinds.get(relist.resource)
        earlier = [c for c in watch.changes if c.ref.kind == kind and c.line < relist.line]
        listed = {
            c.version
            for c in watch.changes
            if c.ref.kind == kind and relist.line < c.line < relist.until
        }
        known = {ref: version(raw) for ref, raw in before.objects.items() if ref.kind == kind}
        for change in earlier:
            if change.entry is Entry.DELETED:
                known.pop(change.ref, None)
            else:
                known[change.ref] = change.version
        if listed != set(known.values()):
            found.append(Gap(relist.resource, f"it was listed anew, changed: {relist.message}"))
    return found


def by_object(changes: Iterable[Change]) -> dict[ObjectRef, list[Change]]:
    """Return changes by the object that they were of, in their order."""
    grouped: dict[ObjectRef, list[Change]] = {}
    for change in changes:
        grouped.setdefault(change.ref, []).append(change)
    return grouped
