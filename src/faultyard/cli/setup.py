"""`faultyard setup`."""

from __future__ import annotations

import click

from faultyard.clusters.embedded.artifacts import setup
from faultyard.clusters.embedded.artifacts.origins import Allowed


@click.command("setup")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option(
    "--binaries",
    type=click.Choice([choice.value for choice in Allowed]),
    default=Allowed.ANY.value,
    envvar="FAULTYARD_BINARIES",
    show_envvar=True,
    show_default=True,
    help="Take official releases by digest and programs of the PATH by version, or releases alone, "
    "or build everything.",
)
def setup_command(as_json: bool, binaries: str) -> None:
    """Build and fetch everything that cells need; what is there already is kept."""
    setup.main(json=as_json, binaries=Allowed(binaries))
