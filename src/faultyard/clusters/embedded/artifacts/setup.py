"""`make setup`: everything that a machine needs, built once.

The compiler starts at once, as it takes the longest; packages and root file systems come meanwhile.
"""

from __future__ import annotations

import json as json_format
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from faultyard.clusters.embedded.artifacts import machine, releases, toolchain
from faultyard.clusters.embedded.artifacts.artifact import Lane
from faultyard.clusters.embedded.artifacts.builds import build_missing, least_go
from faultyard.clusters.embedded.artifacts.cache import Cache, default_root
from faultyard.clusters.embedded.artifacts.catalogue import (
    REPOSITORY,
    Catalogue,
    catalogue,
    image_files,
)
from faultyard.clusters.embedded.artifacts.downloads import Limits
from faultyard.clusters.embedded.artifacts.origins import Allowed, Origins
from faultyard.clusters.embedded.artifacts.progress import Lines, Step, clock
from faultyard.clusters.embedded.artifacts.schedule import Task
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

UNUSED_FOR_S = 14 * 24 * 3600.0
"""Artifacts of other checkouts are kept for that long after their last set-up, in seconds."""
PACKAGES_STEP = Step("packages", "Debian packages of this machine", Lane.OTHER, expected_s=40)
BROWSER_STEP = Step("browser", "Chromium, for the tests of reports", Lane.OTHER, expected_s=60)
NO_BROWSER = """\
no Chromium, which nothing but the tests of reports needs: `make test` fails in tests/browser until
there is one; clusters, trials and reports work without."""


@dataclass(frozen=True)
class Summary:
    """What a set-up did."""

    seconds: float
    """From start to end."""
    cache: str
    """The cache's folder."""
    steps: Mapping[str, float]
    """Seconds by step, those that ran."""
    warnings: tuple[str, ...] = ()
    """What is lost, and why."""


def main(json: bool = False, binaries: Allowed = Allowed.ANY) -> None:
    """Set this machine up. Progress goes to standard error.

    Args:
        json: print the summary as JSON instead of a table.
        binaries: which ready-made programs are taken instead of building them.

    Raises:
        ArtifactError: it cannot go on; the message says why.
    """
    try:
        summary = set_up(Console(stderr=True, highlight=False), binaries)
    except KeyboardInterrupt:
        print("run it again to go on from here", file=sys.stderr)
        raise
    if json:
        print(json_format.dumps(summary.__dict__, indent=1))
    else:
        _print(summary)
    for warning in summary.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def set_up(console: Console, binaries: Allowed) -> Summary:
    """Bring everything into place.

    Args:
        console: where progress and warnings go.
        binaries: which ready-made programs are taken instead of building them.

    Raises:
        ArtifactError: it cannot go on; the message says why.
    """
    begun = time.monotonic()
    warning = machine.check_this()
    if warning:
        console.print(f"warning: {warning}")
    cache = Cache(default_root())
    compiler = toolchain.choose(cache, least_go())
    wanted = _wanted(cache, compiler, binaries, console)
    losses: list[str] = []
    steps = build_missing(
        wanted, cache, Lines(console), _packages(cache), _browser(cache, losses.append)
    )
    cache.prune([*wanted.all, toolchain.pypi_artifact()], UNUSED_FOR_S)
    titles = {artifact.identity: artifact.title for artifact in wanted.all}
    titles |= {step.name: step.title for step in (PACKAGES_STEP, BROWSER_STEP)}
    named = {titles[name]: seconds for name, seconds in steps.items()}
    return Summary(time.monotonic() - begun, str(cache.root), named, tuple(losses))


def _wanted(cache: Cache, compiler: Toolchain, binaries: Allowed, console: Console) -> Catalogue:
    """The artifacts of this checkout; for those that are missing, ready-made ones are looked for.

    Where nothing is missing, no server is asked.
    """
    origins = Origins(cache, releases.fitting(REPOSITORY))
    origins.forget(binaries)
    wanted = catalogue(compiler, image_files(), origins.programs())
    if all(cache.has(artifact) for artifact in wanted.all):
        return wanted
    machine.check_disk(cache.root)
    missing = [name for name, program in wanted.programs.items() if not cache.has(program)]
    for line in origins.settle(missing, binaries, Lines(console), Limits()):
        console.print(line, soft_wrap=True, markup=False)
    return catalogue(compiler, image_files(), origins.programs())


def _packages(cache: Cache) -> list[Task]:
    names = machine.missing_packages()
    if not names and not machine.lists_are_empty():
        return []
    log = cache.root / "logs" / "packages.log"
    return [Task(PACKAGES_STEP, lambda: machine.install(names, log))]


def _browser(cache: Cache, lost: Callable[[str], None]) -> list[Task]:
    """The step that nothing waits for, and that set-up can do without."""
    if machine.has_browser():
        return []
    log = cache.root / "logs" / "browser.log"
    return [
        Task(
            BROWSER_STEP,
            lambda: machine.install([machine.BROWSER], log),
            spared=lambda error: lost(f"{NO_BROWSER}\n{error}"),
        )
    ]


def _print(summary: Summary) -> None:
    if not summary.steps:
        print(f"Everything is built already ({summary.cache}); {summary.seconds:.1f} s.")
        return
    table = Table("step", "took", title="What took how long")
    for title, seconds in summary.steps.items():
        table.add_row(title, clock(seconds))
    table.add_row("all, two lanes side by side", clock(summary.seconds))
    Console(highlight=False).print(table)
