"""`up`, `down`, `status`, `kubectl` and `ssh`."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict

import click

from faultyard.apps import applications, deployment, templates
from faultyard.clusters.embedded import artifacts, cells, layout
from faultyard.clusters.embedded.cell import NAME, Cell
from faultyard.clusters.embedded.commands import require_root
from faultyard.clusters.errors import UnknownName
from faultyard.telemetry import site

DEFAULT = "main"
Names = click.option("-c", "--cell", default=DEFAULT, show_default=True, help="The cell's name.")


def phases() -> Callable[[str], None]:
    """A reporter that prints each phase with the time since the start."""
    start = time.monotonic()

    def report(phase: str) -> None:
        click.echo(f"{time.monotonic() - start:6.1f} s  {phase}", err=True)

    return report


@click.command("up")
@click.argument("name", default=DEFAULT)
@click.option(
    "--nodes",
    default=2,
    type=click.IntRange(1, layout.MAX_NODES),
    show_default=True,
    help="Number of worker nodes.",
)
@click.option("--app", help="An application to deploy: a name, or a folder with an app.yaml.")
def up_command(name: str, nodes: int, app: str | None) -> None:
    """Bring up the cell NAME, with --app an application in it."""
    require_root()
    if not re.fullmatch(NAME, name):
        raise click.UsageError(
            f"{name!r} is no name for a cell; take lower-case letters, digits and dashes"
        )
    application = applications.find(app) if app else None
    built = artifacts.ensure(build=False)
    cell = Cell(name)
    report = phases()
    cell.check(nodes)
    template = templates.ensure(built, application, nodes, report) if application else None
    cell.up(built, nodes, report, template)
    report("telemetry")
    site.start(cell, built, application.description if application else None)
    if application is not None:
        deployment.wake(cell, application, report=report)
    report("ready")
    click.echo(f"try: faultyard kubectl -c {name} -- get nodes", err=True)


@click.command("down")
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="All cells, and the storage under them.")
def down_command(name: str | None, everything: bool) -> None:
    """Remove the cell NAME (the only one, if there is one and no trial's), or all."""
    require_root()
    there = cells.names()
    if everything:
        cells.down_all(report=_removing)
    elif name is None and not there:
        cells.close_unused()  # a `down` that was killed may have left it mounted
        click.echo("no cells", err=True)
    else:
        chosen = _chosen(name, there)
        _removing(chosen)
        cells.down(chosen)


def _removing(cell: str) -> None:
    click.echo(f"removing {cell}", err=True)


def _chosen(name: str | None, there: list[str]) -> str:
    if name is None and len(there) > 1:
        raise click.UsageError(f"which one? {', '.join(there)}, or --all")
    if name is None and there[0].startswith(layout.TRIAL):
        raise click.UsageError(
            f"the only cell, {there[0]}, is a trial's, which ends it; if the trial is no more, say"
            f" down {there[0]}, or --all"
        )
    chosen = there[0] if name is None else name
    if chosen not in there:
        raise UnknownName(f"no cell named {chosen}; there are: {', '.join(there) or 'none'}")
    return chosen


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def status_command(as_json: bool) -> None:
    """Show each cell: its state, its processes, its memory."""
    require_root()
    found = [cells.status(name) for name in cells.names()]
    if as_json:
        click.echo(json.dumps([asdict(status) for status in found], indent=1))
        return
    if not found:
        click.echo("no cells; `faultyard up` makes one")
    for status in found:
        click.echo(f"{status.name}: {status.state}, {status.memory_mib:.0f} MiB")
        for process, alive in status.processes.items():
            click.echo(f"  {'ok  ' if alive else 'gone'}  {process}")


@click.command("kubectl", context_settings={"ignore_unknown_options": True})
@Names
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def kubectl_command(cell: str, arguments: tuple[str, ...]) -> None:
    """Run kubectl in the cell, as its administrator: faultyard kubectl -- get pods -A."""
    require_root()
    become([*Cell(cell).kubectl(), *arguments])


@click.command("ssh", context_settings={"ignore_unknown_options": True})
@Names
@click.argument("node")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def ssh_command(cell: str, node: str, command: tuple[str, ...]) -> None:
    """Open a shell on NODE as its on-call user, or run COMMAND there."""
    require_root()
    become(Cell(cell).ssh(node, command))


def become(argv: list[str]) -> None:
    """Replace this process by a program, which then owns the terminal and its signals."""
    sys.stdout.flush()
    os.execvp(argv[0], argv)
