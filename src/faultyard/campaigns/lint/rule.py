"""What a rule is, what it looks at, and all rules by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from faultyard.apps.applications import ROOT, ApplicationFolder
from faultyard.clusters.errors import UnknownName
from faultyard.model.errors import DescriptionError
from faultyard.model.problem import Problem, RenderedProblem
from faultyard.trials import problems
from faultyard.trials.problems import ProblemFolder

SEEDS = range(1, 25)
"""A rule about what a seed makes of a problem looks at these."""


@dataclass(frozen=True)
class Complaint:
    """One place at which a rule is not kept."""

    rule: str
    place: str
    """A file, relative to the checkout if it lies there, with a line where one is known."""
    message: str
    what_to_do: str

    def to_json(self) -> dict[str, str]:
        """Return the complaint as data."""
        return asdict(self)


@dataclass(frozen=True)
class Subject:
    """A problem on disk, whether it can be read or not."""

    folder: Path

    @cached_property
    def _loaded(self) -> ProblemFolder | DescriptionError:
        try:
            return problems.find(str(self.folder))
        except DescriptionError as error:
            return error

    @property
    def failure(self) -> DescriptionError | None:
        """Why it cannot be read; None: it can."""
        return self._loaded if isinstance(self._loaded, DescriptionError) else None

    @property
    def found(self) -> ProblemFolder | None:
        """The problem; None: it cannot be read."""
        return self._loaded if isinstance(self._loaded, ProblemFolder) else None

    @property
    def problem(self) -> Problem | None:
        """What its problem.yaml says; None: it cannot be read."""
        return self.found.problem if self.found else None

    @cached_property
    def application(self) -> ApplicationFolder | None:
        """What it is about; None: there is no such application, or it cannot be read."""
        try:
            return self.found.application if self.found else None
        except (UnknownName, DescriptionError):
            return None

    @cached_property
    def by_seed(self) -> Mapping[int, RenderedProblem | DescriptionError]:
        """What the seeds make of it, or why they make nothing; empty: it cannot be read."""
        made: dict[int, RenderedProblem | DescriptionError] = {}
        if self.problem is None:
            return made
        for seed in SEEDS:
            try:
                made[seed] = self.problem.render(seed)
            except DescriptionError as error:
                made[seed] = error
        return made

    @property
    def rendered(self) -> Mapping[int, RenderedProblem]:
        """What the seeds make of it, those that make something."""
        return {s: one for s, one in self.by_seed.items() if isinstance(one, RenderedProblem)}

    @property
    def file(self) -> str:
        """Its problem.yaml, as people name it."""
        return shown(self.folder / "problem.yaml")


Look = Callable[[Subject], Iterable[Complaint]]


@dataclass(frozen=True)
class Rule:
    """One demand on problems."""

    name: str
    """Its id: what it complains of, in words with dashes."""
    demand: str
    """What it demands, a sentence."""
    look: Look


_RULES: dict[str, Rule] = {}


def rule(name: str) -> Callable[[Look], Look]:
    """Register a rule under its id; the first line of its docstring is what it demands."""

    def register(look: Look) -> Look:
        _RULES[name] = Rule(name, str(look.__doc__).splitlines()[0], look)
        return look

    return register


def rules() -> Mapping[str, Rule]:
    """All rules by their ids."""
    return _RULES


def shown(path: Path) -> str:
    """A file as people name it: relative to the checkout if it lies there."""
    real = path.resolve()
    return str(real.relative_to(ROOT)) if real.is_relative_to(ROOT) else str(real)
