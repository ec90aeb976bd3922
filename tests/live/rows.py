"""The results of the long tests: one committed line for each, which also makes a run resumable.

`python -m live.rows` (with `src` and `tests` on the path) prints them.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "long-tests.jsonl"
DECIDING = ("src", "apps", "problems", "native", "tests/live")
"""Folders whose content decides what a long test shows."""
PASSED = "passed"


@dataclass(frozen=True)
class Row:
    """One long test that ran to its end."""

    test: str
    fingerprint: str
    outcome: str
    seconds: float
    date: str


def fingerprint(root: Path = ROOT, folders: Iterable[str] = DECIDING) -> str:
    """The hash of everything that a long test depends on."""
    digest = hashlib.sha256()
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                digest.update(f"{file.relative_to(root)}\0{content}\n".encode())
    return digest.hexdigest()[:16]


def read(file: Path = FILE) -> list[Row]:
    """All rows, the oldest first; no file is none."""
    if not file.exists():
        return []
    return [Row(**json.loads(line)) for line in file.read_text().splitlines()]


def passed(of: str, file: Path = FILE) -> frozenset[str]:
    """The tests that passed on the state with this fingerprint."""
    return frozenset(r.test for r in read(file) if r.fingerprint == of and r.outcome == PASSED)


def append(test: str, of: str, outcome: str, seconds: float, file: Path = FILE) -> Row:
    """Add the row of a test that has just ended; it is on disk before the next one starts."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    row = Row(test, of, outcome, round(seconds, 1), now)
    with file.open("a") as out:
        out.write(json.dumps(asdict(row)) + "\n")
    return row


def table(rows: Iterable[Row], of: str) -> list[str]:
    """The last row of each test for people; those of another state of the code are marked."""
    last = {row.test: row for row in rows}
    lines = []
    for row in last.values():
        age = "" if row.fingerprint == of else f"  (older code, {row.fingerprint})"
        lines.append(f"{row.outcome:7} {row.seconds:7.1f} s  {row.date}  {row.test}{age}")
    return lines


if __name__ == "__main__":
    import click

    for shown in table(read(), fingerprint()) or ["no long test has run; `make test-long`"]:
        click.echo(shown)
