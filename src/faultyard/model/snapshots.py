"""Snapshots: the recorded state of a cluster at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faultyard.model import cluster_json
from faultyard.model.refs import ObjectRef, kind_name, ref_of

SCHEMA = 1
NAMES = ("before", "injected", "after", "end")


class SnapshotError(ValueError):
    """A snapshot's file is not one."""


@dataclass(frozen=True)
class ResourceKind:
    """One entry of API discovery."""

    kind: str
    """As references write it."""
    namespaced: bool


@dataclass(frozen=True)
class Gap:
    """A kind that could not be read."""

    resource: str
    message: str


@dataclass(frozen=True)
class Snapshot:
    """Raw objects and the kinds that discovery listed."""

    name: str
    taken_at: float
    """Unix seconds."""
    objects: Mapping[ObjectRef, Mapping[str, Any]]
    kinds: Mapping[tuple[str, str], ResourceKind]
    """(API group, plural resource) -> kind."""
    gaps: tuple[Gap, ...]

    def of_kind(self, kind: str, namespace: str | None) -> dict[ObjectRef, Mapping[str, Any]]:
        """Return the objects of a kind in a namespace (empty: cluster-wide ones; None: in all)."""
        return {
            ref: raw
            for ref, raw in self.objects.items()
            if ref.kind == kind and namespace in (None, ref.namespace)
        }


def parse(content: bytes, name: str) -> Snapshot:
    """Read a snapshot's file.

    Args:
        content: JSON of the schema in `docs/`.
        name: which one: before, injected, after, end.

    Raises:
        SnapshotError: not JSON, of an unknown schema, or with an object that is none.
    """
    try:
        data = cluster_json.loads(content)
    except ValueError as error:
        raise SnapshotError(f"not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise SnapshotError(f"unknown schema (known: {SCHEMA})")
    try:
        return Snapshot(
            name=name,
            taken_at=float(data["taken_at"]),
            objects={ref_of(raw): raw for raw in data["objects"]},
            kinds=dict(_kind(entry) for entry in data["resources"]),
            gaps=tuple(Gap(str(e["resource"]), str(e["message"])) for e in data["errors"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SnapshotError(f"not a snapshot: {error!r}") from error


def _kind(entry: Mapping[str, Any]) -> tuple[tuple[str, str], ResourceKind]:
    group = str(entry["group"])
    kind = kind_name(str(entry["kind"]), group)
    return (group, str(entry["resource"])), ResourceKind(kind, bool(entry["namespaced"]))
