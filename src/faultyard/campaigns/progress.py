"""How far a validation is, and how long the rest takes by what such trials took before."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from faultyard.campaigns.validation import Plan, Row
from faultyard.evidence.recorder import sealed
from faultyard.model.errors import DescriptionError
from faultyard.model.validity import ControlRow
from faultyard.trials import verdicts

Trial = tuple[str, str, int]
"""Problem, agent, seed."""


class Progress:
    """What a validation has done, and what is left of it.

    Args:
        plans: its trials. One with a result in its record is only judged, which takes no time.
        before: trials of any time; those that were no result tell nothing.
        jobs: how many trials run at once.
    """

    def __init__(self, plans: Sequence[Plan], before: Iterable[ControlRow], jobs: int = 1) -> None:
        self.done: list[Row] = []
        self._left: dict[Trial, bool] = {
            (plan.problem.problem.name, control.agent, seed): _runs(plan.record(control, seed))
            for plan in plans
            for control, seed in plan.trials
        }
        self._jobs = jobs
        self._took: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for row in before:
            if row.is_result:
                self._learn(row.problem, row.agent, row.duration_s)

    def add(self, row: Row) -> None:
        """Note a trial that has ended."""
        self._left.pop((row.problem, row.agent, row.seed), None)
        self.done.append(row)
        if row.fresh and row.is_result:
            self._learn(row.problem, row.agent, row.duration_s)

    @property
    def left(self) -> int:
        """How many trials are to come."""
        return len(self._left)

    @property
    def unexpected(self) -> int:
        """How many results were other than stated."""
        return sum(row.is_result and not row.as_expected for row in self.done)

    @property
    def without_result(self) -> int:
        """How many say nothing about the problem, through the harness or the host."""
        return sum(not row.is_result for row in self.done)

    @property
    def left_s(self) -> float | None:
        """How long the rest takes, seconds; None: nothing is known of any such trial."""
        times = [self._usual(trial) for trial, runs in self._left.items() if runs]
        known = [time for time in times if time is not None]
        return sum(known) / self._jobs if len(known) == len(times) else None

    def to_json(self) -> dict[str, Any]:
        """Return it as data."""
        left_s = self.left_s
        return {
            "done": len(self.done),
            "left": self.left,
            "unexpected": self.unexpected,
            "no_result": self.without_result,
            "left_s": None if left_s is None else round(left_s),
        }

    def __str__(self) -> str:
        done = f"{len(self.done)} of {len(self.done) + self.left} done, {self.left} left"
        lost = f", {self.without_result} without a result" if self.without_result else ""
        return f"{done}, {self.unexpected} unexpected{lost}{self._estimate()}"

    def _estimate(self) -> str:
        left_s = self.left_s
        if left_s is None:
            return "; how long such trials take is not known yet"
        if not self.left:
            return ""
        minutes = max(1, round(left_s / 60))
        return f"; about {minutes} min to go" if minutes < 120 else f"; {minutes / 60:.1f} h to go"

    def _learn(self, problem: str, agent: str, took_s: float) -> None:
        for key in ((problem, agent), (problem,), ()):
            self._took[key].append(took_s)

    def _usual(self, trial: Trial) -> float | None:
        """The median of such trials, or else of those of its problem, or else of all."""
        problem, agent, _ = trial
        for key in ((problem, agent), (problem,), ()):
            if key in self._took:
                return statistics.median(self._took[key])
        return None


def _runs(record: Path) -> bool:
    """Whether a trial is to run: there is no record, or one without a result."""
    if not sealed(record):
        return True
    try:
        given = verdicts.read(record)
    except DescriptionError:  # that file is for people; who judges the record does not read it
        return False
    return given is not None and not given.is_result
