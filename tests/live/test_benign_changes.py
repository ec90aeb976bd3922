"""Benign changes in a cell of days: each changes what it says, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.apps import applications, deployment, templates
from faultyard.clusters.embedded import cells
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.evidence import snapshots
from faultyard.faults import decoys
from faultyard.model.known_good import undeclared
from faultyard.model.normal import normalise
from faultyard.model.snapshots import Snapshot, parse

HOTEL = applications.find("hotel")
CHANGES = decoys.load(HOTEL)


@pytest.fixture(scope="module")
def pipeline(state: Path, artifacts: Artifacts) -> Iterator[deployment.Pipeline]:
    """That of a cell as every trial has it, without load."""
    made = Cell("benign", state)
    try:
        template = templates.ensure(artifacts, HOTEL, 2, lambda _: None)
        made.up(artifacts, 2, template=template)
        deployment.wake(made, HOTEL)
        yield deployment.Pipeline(made, HOTEL)
    finally:
        cells.down(made.name, state)


def look(cell: Cell) -> Snapshot:
    with cell.entered(), cell.api() as api:
        return parse(snapshots.take(api), "now")


@pytest.mark.long
@pytest.mark.cost(8)
@pytest.mark.rests_on(
    "apps/hotel",
    "src/faultyard/apps",
    "src/faultyard/faults/decoys.py",
    "tests/live/test_benign_changes.py",
)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.id)
def test_a_benign_change_changes_what_it_declares(
    change: decoys.Change, pipeline: deployment.Pipeline
) -> None:
    before = look(pipeline.cell)
    declared = decoys.apply(pipeline, change)
    after = look(pipeline.cell)
    found = undeclared(normalise(before), normalise(after), declared)
    assert [(str(one.ref), [str(field) for field in one.fields]) for one in found] == []
