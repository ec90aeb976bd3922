"""Snapshots know every kind that the API server serves, those that somebody added too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.evidence import snapshots
from faultyard.model import diff
from faultyard.model.diff import ChangeKind
from faultyard.model.normal import normalise
from faultyard.model.refs import ObjectRef
from faultyard.model.snapshots import Snapshot, parse
from live import kube

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                        },
                    }
                },
            }
        ],
    },
}
WIDGET: dict[str, Any] = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "gear", "namespace": "default"},
    "spec": {"teeth": 12},
}
REFERENCE = ObjectRef("Widget.example.com", "default", "gear")


def take(cell: Cell, name: str) -> Snapshot:
    with cell.entered(), cell.api() as api:
        return parse(snapshots.take(api), name)


@pytest.fixture(scope="module")
def before(cell: Cell) -> Iterator[Snapshot]:
    """The state before the kind is there; it is gone again after the test."""
    yield take(cell, "before")
    kube.kubectl(cell, "delete", "crd", "widgets.example.com", "--ignore-not-found")


@pytest.mark.cost(1)
def test_a_snapshot_of_a_cell_has_no_gap(before: Snapshot, cell: Cell) -> None:
    assert before.gaps == ()
    assert ObjectRef("Node", "", "worker-1") in before.objects


@pytest.mark.cost(8)
def test_an_object_of_a_kind_that_came_after_the_first_snapshot_is_in_the_difference(
    cell: Cell, before: Snapshot
) -> None:
    kube.apply(cell, DEFINITION)
    kube.kubectl(cell, "wait", "--for=condition=Established", "crd/widgets.example.com")
    kube.apply(cell, WIDGET)
    added = take(cell, "injected")
    kube.kubectl(cell, "patch", "widget", "gear", "--type=merge", "-p", '{"spec":{"teeth":13}}')
    changed = take(cell, "end")

    first = diff.compare(normalise(before), normalise(added))
    kinds = {str(change.ref): change.kind for change in first}
    assert kinds == {
        str(REFERENCE): ChangeKind.ADDED,
        "CustomResourceDefinition//widgets.example.com": ChangeKind.ADDED,
    }
    second = diff.compare(normalise(added), normalise(changed))
    assert [change.ref for change in second] == [REFERENCE]
    assert [str(field) for field in second[0].fields] == ["spec.teeth: 12 → 13"]
