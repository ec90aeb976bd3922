"""`report`."""

from __future__ import annotations

from pathlib import Path

import click

from faultyard.model.record import read_files
from faultyard.reports import incident


@click.command("report")
@click.argument("record", type=click.Path(exists=True, file_okay=False, path_type=Path))
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
        UsageError: the file would lie in the record, or in a folder that is missing.
        NoRecord: it is some other folder.
        DamagedRecord: it is not what was sealed.
    """
    target = output or record.with_name(f"{record.name}.html")
    if target.resolve().is_relative_to(record.resolve()):
        # A file more in its folder, and the record would not fit its manifest any more.
        raise click.UsageError(f"{target} lies in the record itself; choose another place with -o")
    if not target.parent.is_dir():
        raise click.UsageError(f"{target.parent} is not a folder; make it, or choose another place")
    page = incident.report(read_files(record), str(record), unsealed)
    target.write_text(page, encoding="utf-8")
    return target
