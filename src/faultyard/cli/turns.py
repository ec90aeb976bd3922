"""`report-cause` and `resolve`: a person's words in a turn that goes on in another terminal."""

from __future__ import annotations

import sys

import click

from faultyard.agents import human
from faultyard.agents.bastion import oncall
from faultyard.clusters.embedded.commands import require_root

LIKE_IN_THE_SHELL = {"ignore_unknown_options": True, "help_option_names": ["--no-such-option"]}
"""All options but one are the command's that lies in the sandbox."""
OUTSIDE = """\
From outside the turn, -c CELL (--cell CELL) says of which, if there are several; see faultyard
status. All else is as in the turn itself:
"""
Cells = click.option("-c", "--cell", help="The cell of the turn, if there are several.")
Words = click.argument("words", nargs=-1, type=click.UNPROCESSED)


@click.command("report-cause", context_settings=LIKE_IN_THE_SHELL)
@Cells
@Words
def report_cause_command(cell: str | None, words: tuple[str, ...]) -> None:
    """Report the cause in the turn of the agent `human` that goes on."""
    sys.exit(_say("report-cause", cell, words))


@click.command("resolve", context_settings=LIKE_IN_THE_SHELL)
@Cells
@Words
def resolve_command(cell: str | None, words: tuple[str, ...]) -> None:
    """End the turn of the agent `human` that goes on."""
    sys.exit(_say("resolve", cell, words))


def _say(command: str, cell: str | None, words: tuple[str, ...]) -> int:
    if {"-h", "--help"} & set(words):
        click.echo(OUTSIDE)
        return oncall.main([command, "--help"], {})
    require_root()
    turn = human.find(cell)
    variables = {"MCP_URL": turn.url, "MCP_TOKEN": turn.token}
    return oncall.main([command, *words], variables)
