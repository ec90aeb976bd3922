"""What a long test's result rests on: its row is fresh as long as none of this has changed.

A test says so with `@pytest.mark.rests_on(path, …)`, relative to the repository; one that says
nothing rests on all code.
"""

from __future__ import annotations

import functools

from faultyard.campaigns import fingerprints
from faultyard.trials import problems
from live import rows

VERDICT = "src/faultyard/model/verdict.py"
"""Has the scoring version, and what a verdict is made of."""


@functools.cache
def of_problem(name: str) -> tuple[str, ...]:
    """What happens in a problem's trials rests on, relative to the repository."""
    places = fingerprints.places(problems.find(name))
    return tuple(sorted(str(place.relative_to(rows.ROOT)) for place in places))


def of_verdicts(name: str) -> tuple[str, ...]:
    """What a problem's verdicts rest on."""
    return (VERDICT, *of_problem(name))
