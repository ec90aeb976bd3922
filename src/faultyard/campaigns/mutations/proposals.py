"""All variants of a problem, and what speaks against them before anybody runs one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from faultyard.campaigns.lint import linting
from faultyard.campaigns.lint.rule import SEEDS
from faultyard.campaigns.mutations import compositions, targets, values
from faultyard.campaigns.mutations.variant import Sort, Variant
from faultyard.model.errors import DescriptionError
from faultyard.model.problem import Problem, load_problem
from faultyard.model.refs import ObjectRef, ref_of
from faultyard.trials.problems import ProblemFolder


@dataclass(frozen=True)
class Proposal:
    """A variant and whether it can be tried."""

    variant: Variant
    complaints: tuple[str, ...]
    """What speaks against it; empty: nothing that shows without a trial."""


def proposals(
    found: ProblemFolder, others: Iterable[ProblemFolder], sorts: Iterable[Sort]
) -> Iterator[Proposal]:
    """Yield variants of a problem, good and bad.

    Args:
        found: the problem.
        others: those with which it may be put together.
        sorts: which variants; none: all.
    """
    made = [
        *targets.variants(found),
        *values.variants(found),
        *compositions.variants(found, others),
    ]
    wanted = set(sorts)
    with tempfile.TemporaryDirectory() as root:
        for one in made:
            if not wanted or one.sort in wanted:
                yield Proposal(one, tuple(_complaints(found, one, Path(root))))


def _complaints(found: ProblemFolder, one: Variant, root: Path) -> Iterator[str]:
    try:
        folder = one.write(root)
    except DescriptionError as error:
        yield error.message
        return
    for complaint in linting.check([folder], linting.chosen(()), (), whole=False).complaints:
        yield f"{complaint.rule}: {complaint.message}"
        return
    there = {ref_of(item) for item in found.application.objects()}
    problem, _ = load_problem(folder)
    for ref in sorted(_named(problem) - _named(found.problem) - there):
        yield f"{found.application.description.name} has no {ref}"


def _named(problem: Problem) -> set[ObjectRef]:
    """The objects that a problem names as faulty or as allowed to change, on all seeds."""
    texts: set[str] = set()
    for seed in SEEDS:
        rendered = problem.render(seed)
        texts.update(str(c.component) for c in rendered.ground_truth.causes if c.component)
        texts.update(entry.object for entry in rendered.boundary.allowed)
    return {ref for ref in map(ObjectRef.parse, texts) if ref.namespace}
