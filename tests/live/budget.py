"""The time that live tests may take: each states its cost, and a run keeps within its budget."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

VARIABLE = "FAULTYARD_TEST_BUDGET_S"
DEFAULT_S = 1100.0
SHARED_COSTS: Mapping[str, float] = MappingProxyType({"cell": 25, "hotel": 55, "fix_record": 150})
"""What making a shared fixture takes, in seconds; counted for the first test that needs it."""


class BadBudget(ValueError):
    """The variable holds no number of seconds."""


@dataclass(frozen=True)
class Candidate:
    """A test that could be run."""

    name: str
    own_s: float
    """Its stated cost in seconds, without shared fixtures."""
    fixtures: frozenset[str] = frozenset()
    """All fixtures that it needs."""


@dataclass
class Account:
    """What was planned, what was left out, and what the tests then took, all in seconds."""

    budget_s: float
    stated: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, float] = field(default_factory=dict)
    measured: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def spent_s(self) -> float:
        """What the budgeted tests have taken so far."""
        return sum(self.measured[name] for name in self.stated)

    @property
    def exceeded(self) -> bool:
        """Whether they took more than there is."""
        return self.spent_s > self.budget_s

    def drop(self, name: str) -> None:
        """Leave out a planned test, since the others took longer than they stated."""
        self.left_out[name] = self.stated.pop(name)

    def lines(self) -> list[str]:
        """The account for people: one line a test, then what was left out."""
        rows = [f"{'stated':>8} {'took':>8}  test"]
        for name, cost in self.stated.items():
            rows.append(f"{cost:6.0f} s {self.measured[name]:6.1f} s  {name}")
        total = sum(self.stated.values())
        rows.append(
            f"{total:6.0f} s {self.spent_s:6.1f} s  all; the budget is {self.budget_s:.0f} s"
        )
        left_s = sum(self.left_out.values())
        if self.left_out:
            names = ", ".join(self.left_out)
            rows.append(f"left out, {left_s:.0f} s over the budget ({VARIABLE}): {names}")
        return rows


def budget_s(environment: Mapping[str, str] = os.environ) -> float:
    """The budget in seconds.

    Raises:
        BadBudget: the variable is set to something else.
    """
    text = environment.get(VARIABLE) or str(DEFAULT_S)
    try:
        return float(text)
    except ValueError as error:
        raise BadBudget(f"{VARIABLE}={text}: give a number of seconds") from error


def plan(
    candidates: Sequence[Candidate],
    budget_s: float,
    shared: Mapping[str, float] = SHARED_COSTS,
) -> Account:
    """Choose, in their order, the tests that fit into the budget.

    Args:
        candidates: the tests in the order in which they run.
        budget_s: seconds.
        shared: what making each shared fixture takes, in seconds.
    """
    account = Account(budget_s)
    made: set[str] = set()
    missed: set[str] = set()
    left_s = budget_s
    for candidate in candidates:
        new = (candidate.fixtures & shared.keys()) - made
        cost = candidate.own_s + sum(shared[name] for name in new)
        if cost > left_s:
            # Tests that are left out would share their fixtures too.
            account.left_out[candidate.name] = cost - sum(shared[name] for name in new & missed)
            missed |= new
            continue
        account.stated[candidate.name] = cost
        left_s -= cost
        made |= new
    return account
