"""`faultyard setup`."""

from __future__ import annotations

import sys

import click

from faultyard.clusters.embedded.artifacts import setup


@click.command("setup")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def setup_command(as_json: bool) -> None:
    """Build and fetch everything that cells need; what is there already is kept."""
    sys.exit(setup.main(json=as_json))
