"""`validate`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from faultyard.campaigns import capacity, entrants, parallel, validation, validity
from faultyard.campaigns.progress import Progress
from faultyard.campaigns.validation import Plan, Row
from faultyard.cli import paths
from faultyard.cli.cells import phases
from faultyard.cli.neighbours import Neighbours
from faultyard.clusters.embedded import artifacts
from faultyard.clusters.embedded.commands import require_root
from faultyard.model.autopsy import Mistake
from faultyard.reports import autopsies, terminal
from faultyard.trials import problems

OUTPUT = click.Path(path_type=Path)
AT_LEAST_1 = click.IntRange(min=1)


class Jobs(click.IntRange):
    """A number from 1 on, or `auto`."""

    name = "number or auto"

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; of `auto`, what this machine has room for now."""
        if value == "auto":
            return capacity.trials_at_once()
        number: int = super().convert(value, param, ctx)
        return number


@click.command("validate")
@click.argument("problem", required=False)
@click.option("--all", "every", is_flag=True, help="All problems that come with the tool.")
@click.option(
    "--seeds", default=1, type=AT_LEAST_1, show_default=True, help="How many seeds, from 1 on."
)
@click.option(
    "-a",
    "--agent",
    "agents",
    multiple=True,
    help="Only this control agent, attacker, or the archaeologist; repeatable.",
)
@click.option("--attackers", is_flag=True, help="The attackers, not the problem's control agents.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    default="records/validation",
    show_default=True,
    help="Folder for the records; those present are not run again.",
)
@click.option(
    "-j",
    "--jobs",
    type=Jobs(),
    default="1",
    show_default=True,
    help="How many trials at once: a number, or auto for as many as there is room for now.",
)
@click.option(
    "--rows",
    is_flag=True,
    help="Write each trial into docs/validity.jsonl; leave out those that have a fresh row there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per trial.")
def validate_command(  # noqa: PLR0913, PLR0917 - one for each option
    problem: str | None,
    every: bool,
    seeds: int,
    agents: tuple[str, ...],
    attackers: bool,
    output: Path,
    jobs: int,
    rows: bool,
    as_json: bool,
) -> None:
    """Run the control agents of PROBLEM, or attackers, and compare with the expected verdicts.

    After each trial standard error tells how many are done, left and unexpected, and how long the
    rest takes by what such trials took before. With --json a trial's line has that as `progress`;
    where it was not as expected also `autopsy`, and `look_further`, commands that show more.

    Exits with 1 when anything is not as expected.
    """
    require_root()
    if (problem is None) != every:
        raise click.UsageError("name a problem, or say --all")
    if attackers and agents:
        raise click.UsageError("--attackers or -a, not both")
    found = [problems.find(name) for name in (problems.names() if problem is None else [problem])]
    plans = validation.plans(found, agents, range(1, seeds + 1), output, attackers)
    known = validity.read()
    if rows:
        plans = [validity.without_fresh(plan, known.fresh) for plan in plans]
    paths.require_folder(output)
    built = artifacts.ensure(build=False)
    telling = _Telling(plans, Progress(plans, known.all, jobs), rows, as_json, jobs)
    with telling:
        for plan in plans:
            if not as_json:
                name, alert = plan.problem.problem.name, plan.problem.problem.render(1).alert
                click.echo(f"{name}\n{alert}")
            if jobs == 1:
                validation.validate(plan, built, phases(), telling.told)
        if jobs > 1:
            parallel.validate(plans, jobs, phases(), telling.told)
    tried = telling.progress.done
    if not as_json:
        click.echo(conclusion(tried, sum(len(plan.known) for plan in plans)))
    sys.exit(0 if all(row.as_expected for row in tried) else 1)


class _Telling:
    """Tells a validation's trials as they end, and how far it is.

    Args:
        plans: its trials.
        progress: of them.
        write: write each into docs/validity.jsonl.
        as_json: tell each as a line of JSON.
        jobs: how many run at once.
    """

    def __init__(
        self, plans: Sequence[Plan], progress: Progress, write: bool, as_json: bool, jobs: int
    ) -> None:
        self.progress = progress
        self._write, self._as_json, self._alone = write, as_json, jobs == 1
        self._neighbours = Neighbours()
        self._prints = {
            (plan.problem.problem.name, control.agent): entrants.fingerprint(
                plan.problem, control.agent
            )
            for plan in plans
            for control in plan.controls
        }

    def __enter__(self) -> None:
        self._neighbours.warn()
        click.echo(self.progress, err=True)

    def __exit__(self, *_: object) -> None:
        if self.progress.left:
            click.echo(f"broken off: {self.progress}", err=True)

    def told(self, row: Row) -> None:
        """Tell of a trial that has ended."""
        committed = validity.of_row(row, self._prints[row.problem, row.agent])
        if self._write:
            validity.append(committed)
        self.progress.add(row)
        mistakes = [] if row.as_expected else autopsies.of_folder(row.record, row.verdict)
        if self._as_json:
            more = {"record": str(row.record), "progress": self.progress.to_json()}
            click.echo(json.dumps(committed.to_json() | more | _why(row, mistakes)))
        else:
            _show(row, mistakes)
        click.echo(self.progress, err=True)
        if self._alone:  # of several at once the others are cells of its own
            self._neighbours.warn()


def _why(row: Row, mistakes: Sequence[Mistake]) -> dict[str, Any]:
    """What more there is to say of a trial that was not as expected."""
    if row.as_expected:
        return {}
    autopsy = [mistake.to_json() for mistake in mistakes]
    return {"autopsy": autopsy, "look_further": _look_further(row)}


def _look_further(row: Row) -> list[str]:
    place = shlex.quote(str(row.record))
    return [f"faultyard report {place}", f"faultyard verify {place}"]


def _show(row: Row, mistakes: Sequence[Mistake]) -> None:
    title = f"{row.problem}, {row.agent}, seed {row.seed}, {row.duration_s:.0f} s"
    terminal.print_verdict(row.verdict, title, mistakes)
    word = "as expected"
    if not row.is_result:
        word = f"NO RESULT, expected {row.expected}"
    elif not row.as_expected:
        word = f"NOT AS EXPECTED: {'; '.join(row.differences)}"
    click.echo(f"  {word}; record: {row.record}")
    if not row.as_expected:
        click.echo(f"  to look further: {'; '.join(_look_further(row))}")


def conclusion(rows: Sequence[Row], known: int = 0) -> str:
    """What a validation came to, and what to do now.

    Args:
        rows: its trials.
        known: how many were left out, as their rows are fresh.
    """
    good = sum(row.as_expected for row in rows)
    missing = sum(not row.is_result for row in rows)
    unexpected = [row for row in rows if row.is_result and not row.as_expected]
    said = f"{good} of {len(rows)} as expected"
    if unexpected:
        said += f", {len(unexpected)} not"
    if known:
        said += f", {known} more have fresh rows"
    if missing:
        said += (
            f"; {missing} without a result: give the same command again when nothing else runs on"
            " this machine, it runs only these anew"
        )
    for row in unexpected:
        said += f"\nNOT AS EXPECTED: {row.problem}, {row.agent}, seed {row.seed}: "
        said += "; ".join(row.differences)
        said += "".join(f"\n  {command}" for command in _look_further(row))
    for row in [] if unexpected else rows[-1:]:
        said += f"\nto tell one of them as a page: {_look_further(row)[0]}"
    return said
