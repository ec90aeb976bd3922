"""Trials from one template: a cluster of days, the same for each, with nothing left of the last.

The twenty trials are control trials on a seed of their own, in a row and then in pairs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from faultyard.apps import applications, templates
from faultyard.campaigns import parallel, validation
from faultyard.clusters.embedded import cells
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.pool import Pool
from faultyard.trials import problems
from live import observations, residue
from live.shared import FixRecord

Json = dict[str, Any]
SEED = 3
MARK = "/etc/cron.d/left-by-hand"
CONTROLS = [
    (name, control.agent)
    for name in ("hotel/wrong-target-port", "hotel/database-user-dropped", "hotel/cpu-throttled")
    for control in problems.find(name).problem.controls
][:20]
"""Twenty are enough, and make ten pairs."""
PAIRS = list(zip(CONTROLS[::2], CONTROLS[1::2], strict=True))
DAYS = timedelta(days=2)


def before(record: Path) -> list[Json]:
    found: list[Json] = json.loads((record / "snapshots/before.json").read_text())["objects"]
    return found


@pytest.mark.cost(1)
def test_before_the_injection_only_nightly_jobs_are_younger_than_two_days(
    fix_record: FixRecord,
) -> None:
    trial = json.loads((fix_record.folder / "trial.json").read_text())
    started = datetime.fromtimestamp(trial["times"]["cell_started"], UTC)
    young = {
        f"{item['kind']} {item['metadata']['name']}"
        for item in before(fix_record.folder)
        if observations.time_of(item["metadata"]["creationTimestamp"]) > started - DAYS
    }
    nightly = sorted(name for name in young if name.startswith("Job bookings-report-"))
    assert young == set(nightly)
    assert len(nightly) == 2  # of the three that a CronJob keeps
    pods = [item for item in before(fix_record.folder) if item["kind"] == "Pod"]
    restarts = [s["restartCount"] for p in pods for s in p["status"].get("containerStatuses", [])]
    assert len(restarts) > len(pods) // 2
    assert set(restarts) == {0}


@pytest.mark.long
@pytest.mark.cost(150)
def test_what_root_leaves_on_a_node_is_not_in_the_next_cell(
    state: Path, artifacts: Artifacts
) -> None:
    template = templates.ensure(artifacts, applications.find("hotel"), state=state)
    seen = []
    for name in ("first", "second"):
        cell = Cell(name, state)
        try:
            cell.up(artifacts, template=template)
            node = cell.nodes[0]
            seen.append(node.run(["find", "/etc/cron.d", "-name", Path(MARK).name]).strip())
            node.run(["sh", "-c", f"echo '* * * * * root true' > {MARK}; sync"])
            node.run(["sh", "-c", "rm -rf /usr/local/bin/crictl /var/lib/local-path"])
        finally:
            cells.down(name, state)
    assert seen == ["", ""]
    pool = Pool(state)
    with pool.used():
        pool.open()
        assert any(template.part("worker-1").glob("var/lib/local-path/*"))
        with pytest.raises(OSError, match="Read-only file system"):
            (template.part("worker-1") / "etc/hostname").write_text("other\n")
    cells.close_unused(state)


class Series:
    """Trials that are to be like one another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._first: Json | None = None

    def require_equal(self, record: Path) -> None:
        """Before the injection all of them show the same."""
        seen = observations.of_record(record)
        if self._first is None:
            self._first = seen
        assert observations.differences(self._first, seen) == []


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Series:
    return Series(tmp_path_factory.mktemp("series"))


def plans(controls: Sequence[tuple[str, str]], folder: Path) -> list[validation.Plan]:
    """One plan for each control agent."""
    return [
        plan
        for name, agent in controls
        for plan in validation.plans([problems.find(name)], [agent], [SEED], folder)
    ]


def unexpected(rows: Sequence[validation.Row]) -> list[Any]:
    return [(row.agent, row.differences, row.verdict.reasons) for row in rows if row.differences]


@pytest.mark.long
@pytest.mark.cost(150)
@pytest.mark.parametrize(("name", "agent"), CONTROLS)
def test_twenty_in_a_row(
    name: str, agent: str, series: Series, state: Path, artifacts: Artifacts
) -> None:
    templates.ensure(artifacts, applications.find("hotel"), state=state)
    host = residue.look(state)
    (plan,) = plans([(name, agent)], series.folder / "row")
    rows = validation.validate(plan, artifacts, print, lambda _: None)
    assert unexpected(rows) == []
    series.require_equal(rows[0].record)
    residue.wait_for_nothing_more(host, state)


@pytest.mark.long
@pytest.mark.cost(250)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(agent for _, agent in pair))
def test_ten_pairs_at_once(
    pair: tuple[tuple[str, str], tuple[str, str]],
    series: Series,
    state: Path,
    artifacts: Artifacts,
) -> None:
    templates.ensure(artifacts, applications.find("hotel"), state=state)
    host = residue.look(state)
    rows = parallel.validate(plans(pair, series.folder / "pairs"), 2, print, lambda _: None)
    assert unexpected(rows) == []
    for row in rows:
        series.require_equal(row.record)
    residue.wait_for_nothing_more(host, state)
