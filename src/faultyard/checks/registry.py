"""All kinds of checks that have to be tried; a new one is a call of `tried`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faultyard.clusters.embedded.cell import Cell
from faultyard.model.predicates.probing import Probing
from faultyard.model.probes import Asked
from faultyard.model.problem import Check


@dataclass(frozen=True)
class Tried:
    """What came of one try."""

    asked: Asked
    outcome: str
    detail: str
    until: float
    """When it was known, unix seconds."""


Round = Callable[[Sequence[Asked]], list[Tried]]
"""Tries each of these once; raises ClusterError or OSError if it cannot."""
Prepare = Callable[[Cell, Any], Round]
"""Makes a round of a cell and the check's parameters."""


@dataclass(frozen=True)
class Kind:
    """How a kind of check is tried."""

    kind: str
    """The name of its probes in the record."""
    parameters: type[Probing]
    asked: Callable[[Any], Sequence[Asked]]
    """What a whole round has tried, when the turn is over."""
    prepare: Prepare
    quietly: Callable[[Any], Sequence[Asked]] | None = None
    """What a whole round has tried before that; None: the same. See `probing.after_turn`."""


@dataclass(frozen=True)
class Plan:
    """One check, ready to be tried."""

    check: Check
    kind: str
    asked: Sequence[Asked]
    """What is tried when the turn is over."""
    quiet: Sequence[Asked]
    """What is tried before that."""
    every_s: float
    round: Round


_KINDS: dict[str, Kind] = {}


def tried(check: str, kind: Kind) -> None:
    """Register how checks of a kind are tried.

    Args:
        check: the kind's name in problems.
        kind: how.
    """
    _KINDS[check] = kind


def kinds() -> Mapping[str, Kind]:
    """All kinds, by the name that problems use."""
    return _KINDS


def defined_in(check: str) -> str | None:
    """The name of the module that tries a kind of check; None: it is not tried, it looks only."""
    found = _KINDS.get(check)
    return found.prepare.__module__ if found else None


def plan(cell: Cell, check: Check) -> Plan | None:
    """How one check is tried in a cell; None: it is not, it looks only."""
    found = _KINDS.get(check.kind)
    if found is None:
        return None
    wanted = found.parameters.model_validate(check.with_)
    asked = found.asked(wanted)
    quiet = found.quietly(wanted) if found.quietly else asked
    round_ = found.prepare(cell, wanted)
    return Plan(check, found.kind, asked, quiet, wanted.every_s, round_)
