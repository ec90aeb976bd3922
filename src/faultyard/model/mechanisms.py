"""The published vocabulary of mechanisms: what kind of cause a diagnosis may name.

The terms themselves lie in `mechanisms.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from faultyard.model import files, yaml_text

NO_FAULT: Final = "no_fault"
"""The answer that nothing is broken."""


@dataclass(frozen=True)
class Term:
    """One mechanism."""

    name: str
    family: str
    """The heading under which it is listed."""
    sentence: str
    """What has happened, for somebody who has to choose among the terms."""


def _terms(data: Mapping[str, Mapping[str, str]]) -> dict[str, Term]:
    return {
        name: Term(name, family, sentence)
        for family, terms in data.items()
        for name, sentence in terms.items()
    }


def _neighbours(data: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    near: dict[str, set[str]] = {name: set() for name in TERMS}
    for first, others in data.items():
        for other in others:
            near[first].add(other)
            near[other].add(first)
    return {name: frozenset(others) for name, others in near.items()}


_DATA: Final = yaml_text.load(files.read_text(Path(__file__).with_suffix(".yaml")))
TERMS: Final[Mapping[str, Term]] = _terms(_DATA["terms"])
"""Every term by its name, in the order in which they are listed."""
NEIGHBOURS: Final[Mapping[str, frozenset[str]]] = _neighbours(_DATA["confused"])
"""Terms that are easily taken for each other; every term has an entry."""


def known(name: str) -> str:
    """Return `name` if it is a term.

    Raises:
        ValueError: it is none; the message lists all of them.
    """
    if name not in TERMS:
        raise ValueError(f"{name!r} is no mechanism; choose one of: {', '.join(TERMS)}")
    return name


def markdown() -> str:
    """Return the vocabulary as the tables of `docs/diagnosis.md`."""
    lines: list[str] = []
    family = ""
    for term in TERMS.values():
        if term.family != family:
            family = term.family
            lines += ["", f"**{family.capitalize()}**", "", "| term | meaning |", "| --- | --- |"]
        lines.append(f"| `{term.name}` | {term.sentence} |")
    return "\n".join(lines).strip() + "\n"
