"""Load on an application in the shared cell, and what users then see of it."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from faultyard.apps.applications import ApplicationFolder
from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.evidence.host import HostWatch
from faultyard.load.generator import LoadGenerator, LoadSettings
from faultyard.model import client
from faultyard.model.client import Second, Summary
from faultyard.model.host import HostSecond, undisturbed

HEALTHY_S = 5
"""So many whole seconds in a row without a failure are a healthy application."""
BUSY_S = 60
"""How much longer an observation may take since the host is busy with other work."""


def generator(
    cell: Cell, application: ApplicationFolder, artifacts: Artifacts, folder: Path, seed: int = 1
) -> LoadGenerator:
    """The load of the application's description, as in a trial; not started."""
    description = application.description
    settings = LoadSettings(
        application.journeys_file,
        application.folder,
        tuple(f"{node.address}:{description.edge.node_port}" for node in cell.node_layouts),
        description.load.rate_per_s,
        seed,
        layout.CLIENT_METRICS,
    )
    return LoadGenerator(
        artifacts.binary("loadgen"), settings, folder, cell.namespaces.outside_the_cgroup
    )


def wait_healthy(load: LoadGenerator, timeout_s: float) -> None:
    """Wait until every journey of `HEALTHY_S` seconds in a row, from now on, succeeds."""
    start = time.time()

    def healthy(seconds: Collection[Second]) -> bool:
        last = [second for second in seconds if second.t >= start][-HEALTHY_S:]
        figures = [each for second in last for each in second.journeys.values()]
        return len(last) == HEALTHY_S and all(each.failed == 0 for each in figures)

    load.wait_for(healthy, timeout_s, f"{HEALTHY_S} good seconds in a row")


@contextlib.contextmanager
def watched(cell: Cell) -> Iterator[dict[int, HostSecond]]:
    """What else the host does meanwhile, by second."""
    host: dict[int, HostSecond] = {}
    watch = HostWatch(cell.namespaces, host)
    try:
        yield host
    finally:
        watch.stop()


def observe(
    load: LoadGenerator, host: Mapping[int, HostSecond], duration_s: int, names: Collection[str]
) -> dict[str, Summary]:
    """What users see from now on: figures for each journey.

    Seconds in which the host was busy with other work are not looked at; more are waited for.

    Args:
        load: the running load.
        host: what the host does meanwhile.
        duration_s: whole seconds that are looked at.
        names: the journeys.
    """
    start = math.ceil(time.time())

    def quiet(seconds: Collection[Second]) -> tuple[Second, ...]:
        return tuple(s for s in seconds if s.t >= start and undisturbed(s.t, host))[:duration_s]

    seen = quiet(
        load.wait_for(
            lambda seconds: len(quiet(seconds)) == duration_s,
            timeout_s=duration_s + BUSY_S,
            what=f"{duration_s} seconds of load while the host is not busy with other work",
        )
    )
    window = client.Window(float(start), float(seen[-1].t + 1), seen, ())
    return {name: client.summarise(window, [name]) for name in names}


def shown(seen: Mapping[str, Summary]) -> str:
    """The figures of each journey for people."""
    return "\n".join(
        f"{name}: {each.ok} ok, {each.failed} failed, p50 {each.p50_ms} ms, p99 {each.p99_ms} ms, "
        f"errors {dict(each.errors)}"
        for name, each in seen.items()
    )
