"""Which of the recent changes is the odd one: several weak signs, weighed together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from .traces import WORKLOADS, Trace

TELLING = re.compile(r"fault|chaos|inject|broken|wrong|bad|bench|test|tmp|debug|hack|old|bak")
TOGETHER = timedelta(seconds=2)
"""Changes so close to each other are one act of somebody."""
RARE = 0.05
BUDGETS = frozenset(("PodDisruptionBudget", "HorizontalPodAutoscaler"))
"""Kinds that seldom take anything down."""
VALUES = frozenset(("ConfigMap", "Secret"))
"""Kinds of which all is values: which of them is new does not show."""
NUMBER = re.compile(r"k:(\{[^}]*\}|\d+)")
"""A list's item that is named by a number of the object's own, such as its port."""


def ranked(changed: Sequence[Trace], everything: Sequence[Trace]) -> list[tuple[float, Trace]]:
    """The recent changes, the most suspicious first, each with its weight.

    Args:
        changed: what was changed lately.
        everything: all objects that somebody manages.
    """
    scored = [(sum(_signs(one, changed, everything)), one) for one in changed]
    # Among equals the last one: whatever woke somebody began just before.
    return sorted(scored, key=lambda pair: (pair[0], pair[1].changed, pair[1].ref), reverse=True)


def _signs(one: Trace, changed: Sequence[Trace], everything: Sequence[Trace]) -> Iterator[float]:
    yield from _of_names(one)
    yield from _of_managers(one, everything)
    yield from _of_time(one, changed)
    yield from _of_shape(one, everything)
    yield from _of_revisions(one)
    yield 1.0 if one.restarts else 0.0


def _of_names(one: Trace) -> Iterator[float]:
    yield 4.0 if TELLING.search(one.name) else 0.0


def _of_managers(one: Trace, everything: Sequence[Trace]) -> Iterator[float]:
    """By another hand than usual, or other than what was applied."""
    uses = Counter(name for each in everything for name in each.managers)
    share = min(uses[name] / len(everything) for name in one.managers)
    yield 3.0 if share < RARE else 0.0
    yield 1.0 if len(one.managers) > 1 else 0.0
    yield 4.0 if one.applied_differs else 0.0


def _of_time(one: Trace, changed: Sequence[Trace]) -> Iterator[float]:
    """The only one of its kind in its moment; the last of all."""
    company = [
        each
        for each in changed
        if each.kind == one.kind and abs(each.changed - one.changed) <= TOGETHER
    ]
    yield 1.0 if len(company) == 1 else -0.5
    yield 0.5 if one.changed == max(each.changed for each in changed) else 0.0


def _of_shape(one: Trace, everything: Sequence[Trace]) -> Iterator[float]:
    """Nothing was added to it: a value is another one now."""
    if one.kind in BUDGETS:
        yield -1.0
    elif one.created == one.changed:
        yield -0.3
    elif one.kind in VALUES:
        yield 1.5
    elif one.kind not in WORKLOADS:
        kin = [each for each in everything if each.kind == one.kind and each.changed < one.changed]
        yield -0.5 if kin and _adds(one, kin) else 1.5


def _adds(one: Trace, kin: Sequence[Trace]) -> bool:
    """Whether it has fields that hardly any other of its kind has."""
    usual = [_shape(each) for each in kin]
    return any(
        sum(each[path] >= times for each in usual) <= len(kin) * RARE * 2
        for path, times in _shape(one).items()
    )


def _shape(one: Trace) -> Counter[str]:
    """Its fields, items of lists without the numbers that are their own, such as ports."""
    return Counter(NUMBER.sub("k:#", path) for path in one.fields)


def _of_revisions(one: Trace) -> Iterator[float]:
    """A new revision of the same version is no release; a change without one hardly matters."""
    if one.kind not in WORKLOADS or not one.revisions:
        return
    if not _revised(one):
        yield -1.0
    elif len(one.revisions) > 1:
        yield 1.5 if one.revisions[-1] == one.revisions[-2] else -0.5


def _revised(one: Trace) -> bool:
    revised: datetime | None = one.revised
    return revised is not None and revised >= one.changed - TOGETHER
