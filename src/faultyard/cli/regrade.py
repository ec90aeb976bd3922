"""`regrade`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from faultyard.campaigns import regrading, validity
from faultyard.campaigns.regrading import Regraded
from faultyard.cli import paths
from faultyard.cli.errors import INFRASTRUCTURE
from faultyard.reports.hidden import in_a_line
from faultyard.trials import verdicts


@click.command("regrade")
@click.argument("records", nargs=-1, required=True, type=paths.RECORD)
@click.option(
    "--write", is_flag=True, help="Write each new verdict beside its record, as the one given."
)
@click.option("--unsealed", is_flag=True, help="Judge records too that do not fit their manifest.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per record.")
def regrade_command(records: tuple[Path, ...], write: bool, unsealed: bool, as_json: bool) -> None:
    """Judge RECORDS again by today's rules, and say what changed; folders of records too.

    Compared with is RECORD.verdict.json beside the record, which a trial writes at its end, else
    the row of a control trial in docs/validity.jsonl or docs/validity-history.jsonl.

    Exits with 1 when an outcome, a finding or a diagnosis' score is another one, and with 3 when
    a record is damaged.
    """
    folders = dict.fromkeys(one for place in records for one in regrading.records_in(place))
    if not folders:
        raise click.UsageError(f"there is no record in {', '.join(map(str, records))}")
    done = []
    for one in regrading.regrade(folders, validity.read().all, unsealed):
        done.append(one)
        click.echo(json.dumps(one.to_json()) if as_json else told(one))
        if write and one.verdict is not None:
            verdicts.write(one.record, one.verdict)
    if not as_json:
        click.echo(conclusion(done))
    sys.exit(_exit_code(done))


def told(one: Regraded) -> str:
    """A record with what changed, in a line and one for each change."""
    if one.verdict is None:
        return f"{one.record}: cannot be judged: {in_a_line(str(one.damage))}"
    now = f"{one.verdict.outcome.value} (scoring version {one.verdict.scoring_version})"
    if one.given is None:
        return f"{one.record}: {now}; nobody wrote down what it got before"
    version = f"it was of scoring version {one.given.scoring_version}"
    if one.unannounced:
        version += ", too: a change of the rules that raised no version"
    head = f"{one.record}: {now}, {'changed' if one.changes else 'unchanged'}; {version}"
    return "\n  ".join([head, *(in_a_line(str(change)) for change in one.changes)])


def conclusion(done: Sequence[Regraded]) -> str:
    """How many records there were, and what became of them."""
    damaged = sum(one.verdict is None for one in done)
    unknown = sum(one.given is None and one.verdict is not None for one in done)
    changed = sum(bool(one.changes) for one in done)
    same = len(done) - damaged - unknown - changed
    return (
        f"{len(done)} records: {same} unchanged, {changed} changed, {unknown} with nothing to "
        f"compare with, {damaged} damaged"
    )


def _exit_code(done: Sequence[Regraded]) -> int:
    if any(one.verdict is None for one in done):
        return INFRASTRUCTURE
    return 1 if any(one.changes for one in done) else 0
