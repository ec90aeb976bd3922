"""What was other only for a while, and what is other on nodes: beside what snapshots show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from faultyard.model import ledger, node_state
from faultyard.model.case import Case
from faultyard.model.diff import ChangeKind
from faultyard.model.node_state import NodeChange
from faultyard.reports import changes
from faultyard.reports.changes import FieldRow


@dataclass(frozen=True)
class Passed:
    """An object that is again as it was, or is gone again."""

    ref: str
    what: str
    by: str
    """Who wrote to it."""
    since: float
    """Unix seconds."""
    seconds: float
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True)
class NodeRows:
    """What differs on one node since the turn began."""

    node: str
    fields: tuple[FieldRow, ...]
    unseen: tuple[str, ...]
    """What of it could not be seen after the turn."""


@dataclass(frozen=True)
class Written:
    """What became of users' writes."""

    acknowledged: int
    answered: int
    """Those for which the application answered when it was asked for them at the very end."""
    lost: int
    """Gone or wrong, of those."""


def written(case: Case) -> Written | None:
    """Return what became of users' writes; None: nobody asked for them."""
    record = case.record
    how = record.application.read_back if record.application else None
    if how is None or not record.found:
        return None
    return Written(
        len(record.written),
        sum(entry.answered for entry in record.found),
        len(ledger.lost(record.written, record.found, how)),
    )


def passed(case: Case) -> list[Passed]:
    """Return what the watch saw come and go, or change and change back, in its order."""
    found = [
        Passed(
            str(each.ref),
            "made and gone again"
            if each.change.kind is ChangeKind.ADDED
            else "changed and changed back",
            changes.writers(case, each.ref),
            each.since,
            each.until - each.since,
            changes.field_rows(each.change.fields),
        )
        for each in case.passing
    ]
    return sorted(found, key=lambda each: each.since)


def nodes(case: Case) -> list[NodeRows]:
    """Return what differs on each node between the turn's start and its end."""
    rows = _by_node(case.node_changes)
    after = case.record.nodes.get("after", {})
    return [
        NodeRows(node, rows.get(node, ()), state.errors)
        for node, state in sorted(after.items())
        if node in rows or state.errors
    ]


def injected_nodes(case: Case) -> list[NodeRows]:
    """Return what differs on nodes since before the injection: the fault, if it lies there."""
    states = case.record.nodes
    if not {"before", "injected"} <= states.keys():
        return []
    rows = _by_node(node_state.compare(states["before"], states["injected"]))
    return [NodeRows(node, fields, ()) for node, fields in sorted(rows.items())]


def _by_node(found: Iterable[NodeChange]) -> dict[str, tuple[FieldRow, ...]]:
    rows: dict[str, list[FieldRow]] = defaultdict(list)
    for change in found:
        rows[change.node].append(_row(change))
    return {node: tuple(fields) for node, fields in rows.items()}


def _row(change: NodeChange) -> FieldRow:
    path = f"{change.aspect}: {change.what}"
    if change.texts is not None:
        return changes.text_row(path, *change.texts)
    if "\n" in (change.before or "") + (change.after or ""):
        return changes.text_row(path, change.before or "", change.after or "")
    return FieldRow(path, change.before, change.after)
