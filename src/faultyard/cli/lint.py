"""`lint`."""

from __future__ import annotations

import json
import sys

import click

from faultyard.campaigns.lint import ignores, linting
from faultyard.campaigns.lint.rule import rules
from faultyard.model.counts import counted
from faultyard.trials import problems


@click.command("lint")
@click.argument("problem", nargs=-1)
@click.option("--select", multiple=True, help="Only this rule, by its id; repeatable.")
@click.option("--rules", "list_rules", is_flag=True, help="List the rules instead.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def lint_command(
    problem: tuple[str, ...], select: tuple[str, ...], list_rules: bool, as_json: bool
) -> None:
    """Look for what is wrong with PROBLEM, or with all problems, without running anything.

    Exits with 1 when a rule is not kept. docs/lint-ignores.yaml lists what is let be, and why.
    """
    selected = linting.chosen(select)
    if list_rules:
        _list_rules(as_json)
        return
    folders = [problems.folder_of(name) for name in problem or problems.names()]
    result = linting.check(folders, selected, ignores.read(), not problem and not select)
    if as_json:
        told = [complaint.to_json() for complaint in result.complaints]
        known = [{**c.to_json(), "reason": ignore.reason} for c, ignore in result.ignored]
        click.echo(json.dumps({"complaints": told, "ignored": known}, indent=1))
    else:
        for complaint in result.complaints:
            click.echo(f"{complaint.place}: {complaint.rule}: {complaint.message}")
            click.echo(f"  {complaint.what_to_do}")
        known_too = f", {len(result.ignored)} ignored" if result.ignored else ""
        looked = f"{counted(len(folders), 'problem')}, {counted(len(selected), 'rule')}"
        click.echo(f"{looked}: {counted(len(result.complaints), 'complaint')}{known_too}")
    sys.exit(1 if result.complaints else 0)


def _list_rules(as_json: bool) -> None:
    if as_json:
        known = [{"rule": rule.name, "demand": rule.demand} for rule in rules().values()]
        click.echo(json.dumps(known, indent=1))
        return
    click.echo(f"{'RULE':20} DEMAND")
    for name, rule in sorted(rules().items()):
        click.echo(f"{name:20} {rule.demand}")
