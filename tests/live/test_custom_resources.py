"""Snapshots and the watch know every kind that is served, those that somebody added too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.waiting import wait_for
from faultyard.evidence import snapshots
from faultyard.evidence.watch import Watcher
from faultyard.model import diff, watch
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
def watcher(cell: Cell, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watcher]:
    """A watch that begins before the first snapshot."""
    file = tmp_path_factory.mktemp("watch") / watch.FILE
    made = Watcher(cell.paths.pki / "admin.kubeconfig", cell.entered, file)
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def before(cell: Cell, watcher: Watcher) -> Iterator[Snapshot]:
    """The state before the kind is there; it is gone again after the test."""
    yield take(cell, "before")
    kube.kubectl(cell, "delete", "crd", "widgets.example.com", "--ignore-not-found")


@pytest.mark.cost(1)
def test_a_snapshot_of_a_cell_has_no_gap(before: Snapshot, cell: Cell) -> None:
    assert before.gaps == ()
    assert ObjectRef("Node", "", "worker-1") in before.objects


@pytest.mark.cost(8)
def test_an_object_of_a_kind_that_came_after_the_first_snapshot_is_in_the_difference(
    cell: Cell, before: Snapshot, watcher: Watcher
) -> None:
    kube.apply(cell, DEFINITION)
    kube.kubectl(cell, "wait", "--for=condition=Established", "crd/widgets.example.com")
    wait_for(
        "the new kind to be watched",
        lambda: (True if b'"plural":"widgets"' in watcher.read() else None, ""),
        timeout_s=10,
    )
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


@pytest.mark.cost(2)
def test_the_watch_leads_from_snapshot_to_snapshot_and_shows_what_lay_between(
    cell: Cell, before: Snapshot, watcher: Watcher
) -> None:
    def teeth(number: int) -> tuple[str, ...]:
        return ("patch", "widget", "gear", "--type=merge", "-p", f'{{"spec":{{"teeth":{number}}}}}')

    kube.kubectl(cell, *teeth(99))
    kube.kubectl(cell, *teeth(13))
    kube.kubectl(cell, "delete", "widget", "gear")
    kube.apply(cell, WIDGET)
    end = take(cell, "end")
    watcher.stop(lambda content: not watch.unseen(watch.parse(content), before, end))

    seen = watch.parse(watcher.file.read_bytes())
    assert (watch.unseen(seen, before, end), seen.gaps, seen.relists) == ([], (), ())
    states = watch.by_object(seen.changes)[REFERENCE]
    told = [(state.entry.value, state.raw["spec"]["teeth"]) for state in states]
    assert told == [
        ("ADDED", 12),
        ("MODIFIED", 13),
        ("MODIFIED", 99),
        ("MODIFIED", 13),
        ("DELETED", 13),
        ("ADDED", 12),
    ]
