"""`list` and `show`."""

from __future__ import annotations

import json
from typing import Any

import click

from faultyard.agents import registry
from faultyard.agents.attackers import attacker
from faultyard.campaigns import entrants
from faultyard.cli.validity import of_problems
from faultyard.model import yaml_text
from faultyard.tools.desk import MAX_CALLS
from faultyard.trials import contract, problems

Seed = click.option(
    "--seed",
    default=1,
    type=click.IntRange(1, 2**31 - 1),
    show_default=True,
    help="Draws targets, values and decoys.",
)


@click.command("list")
@click.argument("what", type=click.Choice(["problems", "agents"]), default="problems")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def list_command(what: str, as_json: bool) -> None:
    """List problems, or agents.

    Of a problem: name, difficulty, minutes that an expert would need, whether it is admitted (each
    control agent has got the verdict that it states on three seeds, each attacker at problems of
    three kinds, see validity), title.
    """
    if what == "agents":
        _list_agents(as_json)
        return
    rows = []
    found = {name: problems.find(name) for name in problems.names()}
    for standing in of_problems(found):
        problem = found[standing.problem].problem
        rows.append(
            {
                "name": problem.name,
                "application": problem.application,
                "difficulty": problem.difficulty.level,
                "expert_minutes": problem.difficulty.expert_minutes,
                "title": problem.title,
                "controls": [control.agent for control in problem.controls],
                "admitted": standing.admitted,
                "admission_lacks": standing.lacks,
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    click.echo(f"{'NAME':32} {'LEVEL':7} {'EXPERT':>7}  ADMITTED  TITLE")
    for row in rows:
        minutes = f"{row['expert_minutes']:.0f} min"
        admitted = "yes" if row["admitted"] else "no"
        about = f"{row['name']:32} {row['difficulty']:7} {minutes:>7}"
        click.echo(f"{about}  {admitted:8}  {row['title']}")


def _list_agents(as_json: bool) -> None:
    if as_json:
        rows = [{"name": name, "title": title} for name, title in _agents().items()]
        click.echo(json.dumps(rows, indent=1))
        return
    click.echo(f"{'NAME':20} TITLE")
    for name, title in _agents().items():
        click.echo(f"{name:20} {title}")
    click.echo("and the control agents of each problem: faultyard show PROBLEM --answer")


def _agents() -> dict[str, str]:
    """Those that can be put to any problem, and what they are."""
    strike = {a.agent: f"Attacker: {a.title}." for a in attacker.known().values()}
    return {**registry.GENERAL, **strike}


@click.command("show")
@click.argument("problem")
@Seed
@click.option(
    "--answer", is_flag=True, help="For authors: ground truth, faults, boundary, controls."
)
@click.option(
    "--contract",
    "as_contract",
    is_flag=True,
    help="How it is set up, broken, checked and bounded, without the answer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def show_command(problem: str, seed: int, answer: bool, as_contract: bool, as_json: bool) -> None:
    """Show PROBLEM as an agent meets it: alert text and limits. With --answer, all of it.

    With --contract, what a verdict on it rests on; what would tell the answer is "…" there, and
    checks that differ in nothing else stand there once. No agent is shown that: kinds of checks
    hint at what was broken.
    """
    if answer and as_contract:
        raise click.UsageError("--answer or --contract, not both")
    found = problems.find(problem)
    rendered = found.problem.render(seed)
    limits = {**rendered.limits.model_dump(), "calls": MAX_CALLS}
    shown: dict[str, Any] = {"name": rendered.name, "alert": rendered.alert, "limits": limits}
    if answer:
        shown = rendered.to_json()
        shown["attackers"] = [one.model_dump(mode="json") for one in entrants.attackers(rendered)]
    if as_contract:
        strikes = entrants.attackers(rendered)
        shown = contract.contract(rendered, found.application, strikes)
    if as_json:
        click.echo(json.dumps(shown, indent=1))
    elif answer or as_contract:
        click.echo(yaml_text.dump(shown))
    else:
        minutes = f"{rendered.limits.turn_s / 60:g} minutes"
        click.echo(rendered.alert.rstrip())
        click.echo(f"\nThe turn ends after {minutes} or {MAX_CALLS} calls of tools at the latest.")
