"""What users wrote and were told is kept, and what was found of it at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from faultyard.model import cluster_json, templates
from faultyard.model.application import ReadBack
from faultyard.model.errors import ModelError


class DamagedLedger(ModelError):
    """A line of the ledger, or of what was read back, is not what it should be."""


@dataclass(frozen=True)
class Acknowledged:
    """A write that the application acknowledged to a user."""

    t: float
    """Unix seconds of the answer."""
    journey: str
    id: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """What a look for one acknowledged write was answered."""

    id: str
    status: int
    """HTTP status; 0: no answer."""
    answer: Any
    """The body, if it was JSON."""

    @property
    def answered(self) -> bool:
        """Whether the application said anything: one that fails has not lost the data."""
        return self.status == 200


def parse_ledger(content: bytes) -> list[Acknowledged]:
    """Read ledger.jsonl.

    Raises:
        DamagedLedger: a line is none of it.
    """
    return [
        Acknowledged(float(raw["t"]), str(raw["journey"]), str(raw["id"]), dict(raw["values"]))
        for raw in _lines(content, ("t", "journey", "id", "values"))
    ]


def parse_found(content: bytes) -> list[Found]:
    """Read readback.jsonl.

    Raises:
        DamagedLedger: a line is none of it.
    """
    return [
        Found(str(raw["id"]), int(raw["status"]), raw["answer"])
        for raw in _lines(content, ("id", "status", "answer"))
    ]


def lost(
    written: Iterable[Acknowledged], found: Iterable[Found], how: ReadBack
) -> list[Acknowledged]:
    """Return the writes for which the application answered, and not with what was written."""
    answers = {entry.id: entry.answer for entry in found if entry.answered}
    return [
        entry
        for entry in written
        if entry.id in answers and not _as_written(answers[entry.id], entry, how)
    ]


def variables(entry: Acknowledged) -> dict[str, templates.Scalar]:
    """What the texts of a look-up may name: the write's values and its `id`."""
    return {**entry.values, "id": entry.id}


def _as_written(answer: Any, entry: Acknowledged, how: ReadBack) -> bool:
    wanted = templates.substitute(dict(how.expect), variables(entry))
    return all(_at(answer, path) == value for path, value in wanted.items())


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            return None
    return value


def _lines(content: bytes, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    if content and not content.endswith(b"\n"):
        raise DamagedLedger("the last line is cut off")
    read = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            raw = cluster_json.loads(line)
        except ValueError as error:
            raise DamagedLedger(f"line {number} is not JSON: {error}") from error
        if not isinstance(raw, dict) or any(field not in raw for field in fields):
            raise DamagedLedger(f"line {number} lacks one of {', '.join(fields)}")
        read.append(raw)
    return read


def written_line(entry: Found) -> str:
    """Return one line of readback.jsonl."""
    return json.dumps({"id": entry.id, "status": entry.status, "answer": entry.answer}) + "\n"
