"""`validity`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from faultyard.apps.applications import ROOT
from faultyard.campaigns import entrants, fingerprints, validity
from faultyard.model.guesses import tally
from faultyard.model.validity import Attempt, ControlRow, ProblemStanding, compared, standing
from faultyard.reports import validity as pages
from faultyard.trials import problems
from faultyard.trials.problems import ProblemFolder

PAGE = ROOT / "docs" / "validity.md"
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("validity")
@click.option(
    "--records",
    multiple=True,
    type=FOLDER,
    help="Take in the control trials whose records lie there; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def validity_command(records: tuple[Path, ...], as_json: bool) -> None:
    """Say what control trials have shown: rates with bounds, durations, flakes, admission.

    Sorts the rows in docs/validity.jsonl and docs/validity-history.jsonl by whether they are
    fresh, and writes docs/validity.md.
    """
    found = {name: problems.find(name) for name in problems.names()}
    rows = validity.read().all
    for folder in records:
        rows += validity.of_records(folder, found)
    settled = validity.settled(rows, found)
    validity.write(settled)
    standings = of_problems(found, settled)
    digs = tally(row.guess for row in settled.fresh if row.guess is not None)
    PAGE.write_text(pages.page(standings, digs), encoding="utf-8")
    if as_json:
        click.echo(json.dumps([_to_json(one) for one in standings], indent=1))
    else:
        click.echo(pages.summary(standings))
        click.echo(f"  page: {PAGE}")


def of_problems(
    found: dict[str, ProblemFolder], rows: validity.Rows | None = None
) -> list[ProblemStanding]:
    """How the control agents of problems have fared.

    Args:
        found: the problems by name.
        rows: None: those on disk.
    """
    known = (rows or validity.read()).all
    return compared([_standing(one, known) for one in found.values()])


def _standing(one: ProblemFolder, known: list[ControlRow]) -> ProblemStanding:
    attempts = [
        Attempt(control, entrants.fingerprint(one, control.agent))
        for control in entrants.attackers(one.problem)
    ]
    return standing(one.problem, fingerprints.of_control_trials(one), known, attempts)


def _to_json(one: ProblemStanding) -> dict[str, Any]:
    agents = [
        {
            "agent": agent.agent,
            "expected": agent.expected.value,
            "n": len(agent.results),
            "unexpected": agent.unexpected,
            "at_most": round(agent.bound, 4),
            "no_result": agent.lost,
            "flakes": agent.flakes,
            "median_s": agent.median_s,
            "max_s": agent.max_s,
        }
        for agent in one.all
    ]
    return {
        "problem": one.problem,
        "admitted": one.admitted,
        "lacks": one.lacks,
        "agents": agents,
    }
