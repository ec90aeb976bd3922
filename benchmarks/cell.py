"""How long a cell takes from nothing, with an application in it, and to be gone again.

Compared within each run with its own floor: etcd and API server alone until ready, which no
arrangement of the rest can beat. Run by `make bench`.
"""

from __future__ import annotations

import os
import statistics
import time

import click
from rich.console import Console
from rich.table import Table

from benchmarks.figures import figure, write
from faultyard.apps import applications, deployment
from faultyard.clusters.embedded import artifacts, cells
from faultyard.clusters.embedded.cell import Cell
from faultyard.telemetry import site

FLOOR = "control plane"
MEMORY = "memory of all of it, MiB"
READY = "cell ready from nothing"
READY_S = 15
GONE = "deletion"
GONE_S = 2


class Stopwatch:
    """Takes the time of each reported phase."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}
        self._phase, self._since = "", time.monotonic()

    def __call__(self, phase: str) -> None:
        """End the phase before and begin this one."""
        now = time.monotonic()
        if self._phase:
            self.took[self._phase] = now - self._since
        self._phase, self._since = phase, now


def measure(app: str) -> dict[str, float]:
    """Bring one cell up and down; returns seconds by phase, and its memory."""
    name = f"bench-{os.getpid()}"
    cell, watch = Cell(name), Stopwatch()
    start = time.monotonic()
    try:
        built = artifacts.ensure(build=False)
        cell.up(built, report=watch)
        watch("")
        up = time.monotonic() - start
        application = applications.find(app)
        watch("telemetry")
        site.start(cell, built, application.description)
        deployment.deploy(cell, application, watch)
        watch("")
        figures = {**watch.took, READY: up}
        figures["all of it"] = time.monotonic() - start
        figures[MEMORY] = cells.status(name).memory_mib
    finally:
        start = time.monotonic()
        cells.down(name)
    figures[GONE] = time.monotonic() - start
    return figures


@click.command()
@click.option("--runs", default=5, show_default=True)
@click.option("--app", default="hotel", show_default=True)
def main(runs: int, app: str) -> None:
    """Measure RUNS times, one after the other, and print minimum, median and maximum."""
    load = os.getloadavg()[0]
    rows = []
    for number in range(1, runs + 1):
        rows.append(measure(app))
        click.echo(f"run {number}: {rows[-1]['all of it']:.1f} s", err=True)
    table = Table(
        title=f"{runs} runs, {os.cpu_count()} cores, load average at the start {load:.1f}"
    )
    for column in ("what", "minimum", "median", "maximum", "median / floor"):
        table.add_column(column, justify="left" if column == "what" else "right")
    floor = statistics.median(row[FLOOR] for row in rows)
    for what in rows[0]:
        values = [row[what] for row in rows]
        median = statistics.median(values)
        ratio = "" if what == MEMORY else f"{median / floor:.1f}"
        shown = [f"{value:.1f}" for value in (min(values), median, max(values))]
        table.add_row(what, *shown, ratio)
    Console().print(table)
    figures = []
    for what, limit_s in ((READY, READY_S), (GONE, GONE_S)):
        values = [row[what] for row in rows]
        note = f"median of {runs}, {min(values):.2f} to {max(values):.2f}"
        figures.append(
            figure(what.replace(" ", "_"), statistics.median(values), "s", limit_s, note)
        )
    write(figures)


if __name__ == "__main__":
    main()
