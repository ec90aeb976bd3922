"""What may be the cause, how much speaks for it, and which is the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .evidence import Evidence
from .repairs import Repair
from .signals import Signals

ENOUGH = 4.0
"""Below this no cause is named: half a dozen odd things can be found in every healthy cluster."""
POINTED = 3.0
"""At most so much weight have signals that point to a component."""
SUFFERING = 1.0
"""Signals point to something that would suffer with it."""
UNSUPPORTED = -2.0
"""Signals are there, and none points to it."""


@dataclass
class Hypothesis:
    """One possible cause."""

    component: str
    """`Kind/namespace/name`."""
    mechanism: str
    """A term of the published vocabulary."""
    evidence: list[Evidence]
    setting: str = ""
    observed: Any = None
    expected: Any = None
    breaks: frozenset[str] = frozenset()
    """References of the workloads that do not work because of it."""
    prose: str = ""
    repair: Repair | None = None
    names: frozenset[str] = field(default_factory=frozenset)
    """By which signals may name it: a Service, a workload, a node."""
    slows: bool = False
    """Users get answers, too late."""

    @property
    def score(self) -> float:
        """How much speaks for it."""
        return sum(each.weight for each in self.evidence)


def rank(found: Iterable[Hypothesis], signals: Signals) -> list[Hypothesis]:
    """The hypotheses with what signals say of them, the best first."""
    ranked = list(found)
    for each in ranked:
        each.evidence += _supported(each, signals)
    return sorted(ranked, key=lambda each: each.score, reverse=True)


def best(ranked: Sequence[Hypothesis]) -> Hypothesis | None:
    """The one to name; None when too little speaks for any."""
    return ranked[0] if ranked and ranked[0].score >= ENOUGH else None


def _supported(one: Hypothesis, signals: Signals) -> list[Evidence]:
    """What signals say of it: of the component itself, else of what it would break."""
    seen = _pointing(one.names, signals)
    left, found = POINTED, []
    for each in seen[:3]:
        found.append(Evidence(each.said, min(left, each.weight)))
        left -= found[-1].weight
    if found:
        return found
    suffering = _pointing({ref.rpartition("/")[2] for ref in one.breaks}, signals)
    if suffering:
        return [Evidence(suffering[0].said, SUFFERING)]
    if signals.pointing:
        return [Evidence("metrics, traces and logs point elsewhere", UNSUPPORTED)]
    return []


def _pointing(names: Iterable[str], signals: Signals) -> list[Evidence]:
    seen = [each for name in sorted(names) for each in signals.pointing.get(name, ())]
    return sorted(seen, key=lambda each: each.weight, reverse=True)
