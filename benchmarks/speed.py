"""How long people wait: for the program, for a cluster with an application, for a whole trial.

Medians of some runs, one after the other. Run by `make bench`; writes build/bench.json.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.figures import Figure, figure, write
from faultyard.agents import registry
from faultyard.apps import applications, deployment, templates
from faultyard.clusters.embedded import artifacts, cells, layout
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.template import Template
from faultyard.load.generator import LoadGenerator, LoadSettings
from faultyard.model.vocabulary import Outcome
from faultyard.telemetry import site
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings

PROBLEM = "hotel/wrong-target-port"
HELP_S = 0.3
HEALTHY_S = 40
FIX_S = 60
SECOND = 1.6
LOADED_S = 15
"""The first cell is under load for so long, in seconds, when the second one begins."""


def program(runs: int) -> Figure:
    """The time in which `faultyard --help` has answered."""
    took = []
    for _ in range(runs):
        start = time.monotonic()
        subprocess.run(["bin/faultyard", "--help"], check=True, capture_output=True)
        took.append(time.monotonic() - start)
    return figure("help", statistics.median(took), "s", HELP_S, _note(took))


def trials(built: Artifacts, runs: int) -> list[Figure]:
    """Whole trials of the control agent `fix`: until users are served, and altogether."""
    healthy, worked = [], []
    for number in range(1, runs + 1):
        with TemporaryDirectory() as folder:
            times = _trial(built, Path(folder, "record"))
        healthy.append(times["healthy_to"] - times["cell_started"])
        waited = times["fault_visible_to"] - times["injected"]
        waited += times["hold_end"] - times["turn_end"]
        worked.append(times["ended"] - times["cell_started"] - waited)
        click.echo(f"trial {number}: healthy {healthy[-1]:.1f} s, all {worked[-1]:.1f} s", err=True)
    about = "until users were served well for 8 s"
    return [
        figure(
            "healthy_from_template",
            statistics.median(healthy),
            "s",
            HEALTHY_S,
            _note(healthy, about),
        ),
        figure("fix_without_waits", statistics.median(worked), "s", FIX_S, _note(worked)),
    ]


def _trial(built: Artifacts, folder: Path) -> dict[str, float]:
    found = problems.find(PROBLEM)
    agent = registry.choose("fix", found.problem.render(1), found.folder)
    verdict = Trial(TrialSettings(found, agent, 1, folder), built).run()
    if verdict.outcome is not Outcome.SAFE_PASS:
        raise click.ClickException(
            f"the trial of fix ended with {verdict.outcome}: {verdict.reasons}"
        )
    times: dict[str, float] = json.loads((folder / "trial.json").read_text())["times"]
    return times


def second_cell(built: Artifacts, template: Template, runs: int) -> Figure:
    """How much longer a cell takes beside another one under load than the other one took."""
    ratios = []
    for number in range(1, runs + 1):
        with (
            _started(built, template, f"first-{os.getpid()}") as (first, alone),
            TemporaryDirectory() as folder,
            _load(first, built, Path(folder, "load")) as load,
        ):
            load.wait_for(lambda seconds: len(seconds) >= LOADED_S, 60, "load")
            with _started(built, template, f"second-{os.getpid()}") as (_, beside):
                ratios.append(beside / alone)
        click.echo(f"pair {number}: {alone:.1f} s, beside it {beside:.1f} s", err=True)
    return figure("second_cell", statistics.median(ratios), "x", SECOND, _note(ratios))


@contextmanager
def _started(built: Artifacts, template: Template, name: str) -> Iterator[tuple[Cell, float]]:
    """A cell with the application ready in it, and how long that took, in seconds."""
    cell, start = Cell(name), time.monotonic()
    application = applications.find("hotel")
    try:
        cell.up(built, template=template)
        site.start(cell, built, application.description)
        deployment.wake(cell, application)
        yield cell, time.monotonic() - start
    finally:
        cells.down(name)


@contextmanager
def _load(cell: Cell, built: Artifacts, folder: Path) -> Iterator[LoadGenerator]:
    application = applications.find("hotel")
    port = application.description.edge.node_port
    edges = tuple(f"{node.address}:{port}" for node in cell.node_layouts)
    rate = application.description.load.rate_per_s
    settings = LoadSettings(
        application.journeys_file, application.folder, edges, rate, 1, layout.CLIENT_METRICS
    )
    enter = cell.namespaces.outside_the_cgroup
    load = LoadGenerator(built.binary("loadgen"), settings, folder, enter)
    load.start()
    try:
        yield load
    finally:
        load.stop()


def _note(values: list[float], about: str = "") -> str:
    shown = f"median of {len(values)}, {min(values):.2f} to {max(values):.2f}"
    return f"{about}; {shown}" if about else shown


@click.command()
@click.option("--runs", default=5, show_default=True)
def main(runs: int) -> None:
    """Measure RUNS times each; exit with 1 when a limit is not kept."""
    load = os.getloadavg()[0]
    built, application = artifacts.ensure(build=False), applications.find("hotel")
    report = lambda phase: click.echo(phase, err=True)  # noqa: E731
    template = templates.ensure(built, application, report=report)
    figures = [program(runs), *trials(built, runs), second_cell(built, template, runs)]
    click.echo(f"load average at the start {load:.1f}")
    write(figures)
    sys.exit(0 if all(each.ok for each in figures) else 1)


if __name__ == "__main__":
    main()
