"""`faultyard doctor`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from faultyard.agents import requirements as of_agents
from faultyard.clusters.requirements import host, kernel, network, nodes
from faultyard.clusters.requirements.requirement import Finding, State, look
from faultyard.evidence import requirements as of_evidence

REQUIREMENTS = (
    *host.REQUIREMENTS,
    *kernel.REQUIREMENTS,
    *network.REQUIREMENTS,
    *nodes.REQUIREMENTS,
    *of_agents.REQUIREMENTS,
    *of_evidence.REQUIREMENTS,
)
INFRASTRUCTURE = 3
STYLES = {State.OK: "green", State.LIMITED: "yellow", State.MISSING: "red", State.UNTRIED: "red"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def doctor_command(as_json: bool) -> None:
    """Try what cells need of this machine, and say what to do about what is missing.

    Every capability is tried, none is read off a version; what is made for it goes again. Exits
    with 3 if cells cannot run here yet.
    """
    findings = [look(requirement) for requirement in REQUIREMENTS]
    able = all(finding.state in (State.OK, State.LIMITED) for finding in findings)
    if as_json:
        content = {"able": able, "requirements": [asdict(finding) for finding in findings]}
        click.echo(json.dumps(content, indent=1))
    else:
        Console(highlight=False).print(_table(findings))
        click.echo(_conclusion(findings, able))
    sys.exit(0 if able else INFRASTRUCTURE)


def _table(findings: Sequence[Finding]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("requirement", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("seen, and what to do")
    for finding in findings:
        told = f"{finding.seen}\n-> {finding.remedy}" if finding.remedy else finding.seen
        table.add_row(finding.name, Text(finding.state, STYLES[finding.state]), Text(told))
    return table


def _conclusion(findings: Sequence[Finding], able: bool) -> str:
    counts = Counter(finding.state for finding in findings)
    if not able:
        rest = f", {counts[State.UNTRIED]} untried" if counts[State.UNTRIED] else ""
        return f"cells cannot run here yet: {counts[State.MISSING]} missing{rest}"
    if counts[State.LIMITED]:
        return f"cells can run here, {counts[State.LIMITED]} with limits"
    return "cells can run here"
