"""Measured values with their limits: build/bench.json, and a table of it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

OUTPUT = Path("build/bench.json")


@dataclass(frozen=True)
class Figure:
    """One measured value and its limit."""

    name: str
    value: float
    unit: str
    limit: float
    ok: bool
    note: str


def figure(name: str, value: float, unit: str, limit: float, note: str) -> Figure:
    """A value that must not be above its limit."""
    return Figure(name, round(value, 3), unit, limit, value <= limit, note)


def write(figures: Sequence[Figure], output: Path = OUTPUT) -> None:
    """Print them, and write them in the place of those of the same names."""
    output.parent.mkdir(exist_ok=True)
    kept = json.loads(output.read_text()) if output.exists() else []
    known = {each["name"]: each for each in kept} | {each.name: asdict(each) for each in figures}
    output.write_text(json.dumps(list(known.values()), indent=1) + "\n")
    table = Table(title=f"limits ({os.cpu_count()} cores)")
    for column in ("what", "value", "limit", "unit", "", "how"):
        table.add_column(column, justify="right" if column in {"value", "limit"} else "left")
    for each in figures:
        ok = "ok" if each.ok else "ABOVE"
        table.add_row(each.name, f"{each.value:g}", f"{each.limit:g}", each.unit, ok, each.note)
    Console().print(table)
