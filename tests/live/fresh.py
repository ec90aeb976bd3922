"""What a long test's result rests on: its row is fresh as long as none of this has changed.

A test says so with `@pytest.mark.rests_on(path, …)`, relative to the repository; one that says
nothing rests on all code.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from faultyard.faults import registry
from faultyard.model import predicates
from faultyard.model.problem import Problem
from faultyard.trials import problems
from live import rows

VERDICT = "src/faultyard/model/verdict.py"
"""Has the scoring version, and what a verdict is made of."""


@functools.cache
def of_problem(name: str) -> tuple[str, ...]:
    """What happens in a problem's trials rests on: its folder, its application, its faults, checks.

    Not the rest of the code, which the other tests hold: a trial that needs more than this to stay
    the same is a defect of the harness, whatever was changed in it.
    """
    found = problems.find(name)
    places = [found.folder, found.application.folder, *_modules(found.problem)]
    return tuple(sorted({str(place.relative_to(rows.ROOT)) for place in places}))


def of_verdicts(name: str) -> tuple[str, ...]:
    """What a problem's verdicts rest on."""
    return (VERDICT, *of_problem(name))


def _modules(problem: Problem) -> list[Path]:
    names = [registry.defined_in(fault.kind) for fault in problem.faults]
    names += [predicates.defined_in(check.kind) for check in problem.checks]
    return [Path(str(sys.modules[name].__file__)) for name in names]
