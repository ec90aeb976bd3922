"""The registry of check kinds, and how a problem's checks are evaluated in a phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import ValidationError

from faultyard.model.errors import DescriptionError
from faultyard.model.observations import Observations
from faultyard.model.problem import Check, RenderedProblem
from faultyard.model.strict import Strict


class Phase(StrEnum):
    """When a check is looked at."""

    HEALTHY = "healthy"
    """Before injection: every check has to pass."""
    FAULTY = "faulty"
    """After injection: one that is not `throughout` has to fail."""
    FINAL = "final"
    """What the verdict rests on."""


class State(StrEnum):
    """A check's answer."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    """It could not be observed."""


@dataclass(frozen=True)
class Answer:
    """What a predicate says."""

    state: State
    reason: str
    """One sentence."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """The numbers behind it."""


@dataclass(frozen=True)
class CheckResult:
    """A check's answer in a phase."""

    name: str
    kind: str
    mode: str
    state: State
    reason: str
    figures: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the result as the verdict prints it."""
        return {**vars(self), "state": self.state.value, "figures": dict(self.figures)}


@dataclass(frozen=True)
class Occasion:
    """What a predicate may look at, and for when."""

    observations: Observations
    phase: Phase
    mode: str


ParametersT = TypeVar("ParametersT", bound=Strict)
_KINDS: dict[str, tuple[type[Strict], frozenset[str], Callable[[Any, Occasion], Answer]]] = {}


def predicate(
    kind: str, parameters: type[ParametersT], modes: frozenset[str]
) -> Callable[
    [Callable[[ParametersT, Occasion], Answer]], Callable[[ParametersT, Occasion], Answer]
]:
    """Register a function as a kind of check.

    Args:
        kind: its name in problems.
        parameters: what `with:` holds.
        modes: the modes it has an answer for.
    """

    def register(
        function: Callable[[ParametersT, Occasion], Answer],
    ) -> Callable[[ParametersT, Occasion], Answer]:
        _KINDS[kind] = (parameters, modes, function)
        return function

    return register


def defined_in(kind: str) -> str:
    """The name of the module that has a kind of check.

    Raises:
        KeyError: there is no such kind.
    """
    return _KINDS[kind][2].__module__


def check_parameters(problem: RenderedProblem) -> None:
    """See that every check of a problem is of a known kind and complete.

    Raises:
        DescriptionError: it is not; says which and why.
    """
    for check in problem.checks:
        _prepared(problem.name, check)


def evaluate(
    problem: RenderedProblem, observations: Observations, phase: Phase
) -> list[CheckResult]:
    """Return the answers of a problem's checks in a phase, in the problem's order.

    Raises:
        DescriptionError: a check is of an unknown kind or incomplete.
    """
    results = []
    for check in problem.checks:
        parameters, function = _prepared(problem.name, check)
        answer = function(parameters, Occasion(observations, phase, check.mode))
        results.append(
            CheckResult(
                check.name, check.kind, check.mode, answer.state, answer.reason, answer.figures
            )
        )
    return results


def _prepared(source: str, check: Check) -> tuple[Strict, Callable[[Any, Occasion], Answer]]:
    if check.kind not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        raise DescriptionError(
            source, f"check {check.name}: unknown kind {check.kind!r}", f"Known kinds: {known}."
        )
    model, modes, function = _KINDS[check.kind]
    if check.mode not in modes:
        raise DescriptionError(
            source,
            f"check {check.name}: {check.kind} has no mode {check.mode!r}",
            f"It has: {', '.join(sorted(modes))}.",
        )
    try:
        return model.model_validate(check.with_), function
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(("with", *(str(part) for part in first["loc"])))
        raise DescriptionError(
            source, f"check {check.name}: {place}: {first['msg']}", "Correct the check."
        ) from error
