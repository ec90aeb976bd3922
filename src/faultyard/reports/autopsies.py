"""The autopsy of a record, from its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from faultyard.model.autopsy import Mistake, autopsy
from faultyard.model.case import open_case
from faultyard.model.record import Record, parse_record, read_files
from faultyard.model.verdict import Verdict
from faultyard.reports import statements


def of_record(record: Record, content: Mapping[str, bytes], verdict: Verdict) -> list[Mistake]:
    """Say why a trial came to what it came to.

    Args:
        record: the trial's.
        content: its files (path -> content).
        verdict: on it.

    Raises:
        DamagedRecord: what the agent asked of its tools is not what the harness writes.
    """
    calls = statements.read(content, record.source).calls
    return autopsy(open_case(record), verdict, calls)


def of_folder(folder: Path, verdict: Verdict) -> list[Mistake]:
    """The same, of a record that was just sealed.

    Raises:
        DamagedRecord: it does not fit its manifest.
        OSError: a file cannot be read.
    """
    content = read_files(folder)
    return of_record(parse_record(content, str(folder)), content, verdict)
