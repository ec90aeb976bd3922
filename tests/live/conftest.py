"""What the live tests share: a state folder of the session's own, one cell, one application in it.

Tests that need the shared cell run first. It ends with the last of them, so that those which
bring up cells of their own have the machine for themselves.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from faultyard.agents import registry
from faultyard.apps import applications, deployment
from faultyard.clusters.embedded import artifacts as built
from faultyard.clusters.embedded import cells
from faultyard.clusters.embedded.cell import Cell
from faultyard.telemetry import site
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings
from live import bookkeeping, residue, shared, states
from live.shared import Deployed, FixRecord


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the budget, and leave out long tests that have passed."""
    keeper, kept = bookkeeping.choose(items)
    config.pluginmanager.register(keeper)
    dropped = [item for item in items if item not in kept]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    items[:] = kept


@pytest.hookimpl(trylast=True)  # after the fixtures that use the cell have ended
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the shared cell with the last test that needs it."""
    if _shares(item) and not (nextitem and _shares(nextitem)):
        cells.down(shared.CELL)


def _shares(item: pytest.Item) -> bool:
    return "cell" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session", autouse=True)
def state() -> Iterator[Path]:
    """The session's state folder; gone after it, on SIGTERM too."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGTERM, stop)
    try:
        with states.folder() as folder, states.current(folder):
            yield folder
    finally:
        signal.signal(signal.SIGTERM, handler)


@pytest.fixture(scope="session")
def artifacts() -> built.Artifacts:
    """What set-up built; nothing is built by tests."""
    return built.ensure(build=False)


@pytest.fixture(scope="session")
def cell(state: Path, artifacts: built.Artifacts) -> Cell:
    """The shared cell; `pytest_runtest_teardown` and the session's end remove it."""
    made = Cell(shared.CELL, state)
    made.up(artifacts, report=_phases(made.name))
    site.start(made, artifacts, applications.find("hotel").description)
    return made


@pytest.fixture(scope="session")
def hotel(cell: Cell) -> Deployed:
    """The shared cell with hotel in it, ready, without load."""
    application = applications.find("hotel")
    stored = {node.place.name: node.run(["/usr/local/bin/crictl", "images"]) for node in cell.nodes}
    log_size = (cell.paths.log / "registry.log").stat().st_size
    deployment.deploy(cell, application, _phases("hotel"))
    return Deployed(cell, application, stored, log_size)


@pytest.fixture(scope="session")
def fix_record(
    state: Path, artifacts: built.Artifacts, tmp_path_factory: pytest.TempPathFactory
) -> FixRecord:
    """One real trial in a cell of its own."""
    folder = tmp_path_factory.mktemp("trial") / "record"
    problem = problems.find(shared.PROBLEM)
    agent = registry.choose("fix", problem.problem.render(1), problem.folder)
    before = residue.look(state)
    verdict = Trial(TrialSettings(problem, agent, 1, folder), artifacts, _phases("fix")).run()
    return FixRecord(folder, verdict, before, residue.look(state))


def _phases(title: str) -> Callable[[str], None]:
    start = time.monotonic()

    def report(phase: str) -> None:
        # Captured: it is shown when the fixture, or the test that made it, fails.
        sys.stderr.write(f"[{title} {time.monotonic() - start:5.1f} s] {phase}\n")

    return report
