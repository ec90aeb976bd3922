"""`new` and `mutate`: for authors of problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import click

from faultyard.campaigns import scaffolds
from faultyard.campaigns.mutations.proposals import Proposal, proposals
from faultyard.campaigns.mutations.variant import Sort
from faultyard.cli import paths
from faultyard.clusters.errors import WrongFolder
from faultyard.trials import problems

FOLDER = click.Path(file_okay=False, path_type=Path)
Root = click.option(
    "-o",
    "--output",
    type=FOLDER,
    help="Folder in which problems lie; default: those of the tool.",
)


@click.group("new")
def new_command() -> None:
    """Begin something of your own."""


@new_command.command("problem")
@click.argument("name")
@click.option(
    "--like", default="hotel/wrong-target-port", show_default=True, help="The problem to copy."
)
@click.option("--title", help="What is wrong, a sentence.")
@Root
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def new_problem(
    name: str, like: str, title: str | None, output: Path | None, as_json: bool
) -> None:
    """Begin the problem NAME (application/name) as a copy of one that works and is tried.

    It keeps every rule of lint from the start; its own control trials have to be run.
    """
    root = output or problems.ROOT
    paths.require_folder(root)
    folder = scaffolds.scaffold(name, problems.find(like), root, title)
    if as_json:
        click.echo(json.dumps({"problem": name, "folder": str(folder)}))
        return
    click.echo(f"{folder / 'problem.yaml'}\n  what to do next stands at its head")


@click.command("mutate")
@click.argument("problem")
@click.option("--with", "others", multiple=True, help="Put together with these only; repeatable.")
@click.option(
    "--sort",
    "sorts",
    multiple=True,
    type=click.Choice(get_args(Sort)),
    help="Only these; repeatable.",
)
@click.option("-o", "--output", type=FOLDER, help="Write the variants below this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def mutate_command(
    problem: str,
    others: tuple[str, ...],
    sorts: tuple[Sort, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Propose variants of PROBLEM: on another target, with another value, together with another.

    All of them can be read, drawn on any seed and keep the rules of lint. Whether users feel them
    and control agents get their verdicts, trials tell: faultyard validate FOLDER/NAME.
    """
    found = problems.find(problem)
    known = [problems.find(name) for name in others or problems.names()]
    made = list(proposals(found, known, sorts))
    good = [one for one in made if not one.complaints]
    if output is not None:
        paths.require_folder(output)
        _write(good, output)
    if as_json:
        click.echo(json.dumps([_to_json(one) for one in made], indent=1))
        return
    for one in good:
        click.echo(f"{one.variant.name:60} {one.variant.sort:12} {one.variant.differs}")
    bad = len(made) - len(good)
    where = f", written below {output}" if output else ""
    click.echo(f"{len(good)} variants{where}; {bad} more do not hold (--json says why)")


def _write(good: list[Proposal], output: Path) -> None:
    for one in good:
        if (output / one.variant.name).exists():
            raise WrongFolder(f"{output / one.variant.name} is there already")
    for one in good:
        one.variant.write(output)


def _to_json(one: Proposal) -> dict[str, Any]:
    made = one.variant
    told = {"name": made.name, "sort": made.sort, "differs": made.differs}
    return {**told, "complaints": list(one.complaints)}
