"""The results of the long tests: one committed line for each, which also makes a run resumable."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from faultyard.campaigns import fingerprints

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "long-tests.jsonl"
DECIDING = ("src", "apps", "problems", "native", "tests/live")
"""Folders whose content decides what a long test shows, unless it says what it rests on."""
PASSED = "passed"


@dataclass(frozen=True)
class Row:
    """One long test that ran to its end."""

    test: str
    fingerprint: str
    outcome: str
    seconds: float
    date: str


def fingerprint(root: Path = ROOT, places: Iterable[str] = DECIDING) -> str:
    """The hash of everything that a long test rests on, files and folders.

    Raises:
        FileNotFoundError: one of the places does not exist.
    """
    return fingerprints.of_files(root, places)


def read(file: Path = FILE) -> list[Row]:
    """All rows, the oldest first; no file is none."""
    if not file.exists():
        return []
    return [Row(**json.loads(line)) for line in file.read_text().splitlines()]


def passed(file: Path = FILE) -> frozenset[tuple[str, str]]:
    """The tests that passed, each with the fingerprint of what it rested on."""
    return frozenset((r.test, r.fingerprint) for r in read(file) if r.outcome == PASSED)


def append(test: str, of: str, outcome: str, seconds: float, file: Path = FILE) -> Row:
    """Add the row of a test that has just ended; it is on disk before the next one starts."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    row = Row(test, of, outcome, round(seconds, 1), now)
    with file.open("a") as out:
        out.write(json.dumps(asdict(row)) + "\n")
    return row


def table(rows: Iterable[Row], now: Mapping[str, str]) -> list[str]:
    """The last row of each test for people.

    Args:
        rows: the oldest first.
        now: test -> its fingerprint today; rows with another one are marked, those of tests that
            are no more are left out.
    """
    last = {row.test: row for row in rows if row.test in now}
    lines = []
    for row in last.values():
        age = "" if now[row.test] == row.fingerprint else f"  (older code, {row.fingerprint})"
        lines.append(f"{row.outcome:7} {row.seconds:7.1f} s  {row.date}  {row.test}{age}")
    return lines
