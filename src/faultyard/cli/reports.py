"""`report`."""

from __future__ import annotations

from pathlib import Path

import click

from faultyard.cli import paths
from faultyard.model.record import read_files
from faultyard.reports import incident


@click.command("report")
@click.argument("record", type=paths.RECORD)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; default: RECORD.html, beside the record.",
)
@click.option("--unsealed", is_flag=True, help="Report although the files do not fit the manifest.")
def report_command(record: Path, output: Path | None, unsealed: bool) -> None:
    """Write RECORD as one HTML page that needs nothing else, to be read in a browser.

    Exits with 3 when the record is damaged.
    """
    click.echo(write(record.resolve(), output, unsealed))


def write(record: Path, output: Path | None = None, unsealed: bool = False) -> Path:
    """Write a record's report; returns the file.

    Args:
        record: the record's folder.
        output: the file to write; None: beside the record, with its name.
        unsealed: report although the files do not fit the manifest.

    Raises:
        UsageError: the file would lie in the record, or cannot be written.
        NoRecord: it is some other folder.
        DamagedRecord: it is not what was sealed.
    """
    place = record.resolve()
    beside = record if record.name == place.name else place
    target = output or beside.with_name(f"{place.name}.html")
    if target.resolve().is_relative_to(place):
        # A file more in its folder, and the record would not fit its manifest any more.
        raise click.UsageError(f"{target} lies in the record itself; choose another place with -o")
    paths.require_parent(target)
    page = incident.report(read_files(record), str(place), unsealed)
    paths.write(target, page)
    return target
