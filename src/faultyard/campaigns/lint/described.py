"""schema, difficulty-missing: a problem can be read, and says how hard it is and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from faultyard.campaigns.lint.rule import Complaint, Subject, rule
from faultyard.clusters.errors import ClusterError
from faultyard.faults import decoys, registry
from faultyard.model import predicates, yaml_text
from faultyard.model.errors import DescriptionError
from faultyard.model.problem import RenderedProblem
from faultyard.model.shapes import mapping
from faultyard.trials import hold_events
from faultyard.trials import noise as noises

_NEEDED = ("level", "reason", "expert_minutes")
_PLACEHOLDER = re.compile(r"(todo|tbd|fixme|xxx)\b|\.\.|…", re.IGNORECASE)


@rule("schema")
def schema(subject: Subject) -> Iterable[Complaint]:
    """A problem fits its schema on every seed, and what it names is there."""
    if subject.failure is not None:
        if not _lacks_difficulty(subject):  # which the other rule tells
            yield _of(subject, subject.failure)
        return
    if subject.problem is None:
        return
    for rendered in subject.by_seed.values():
        error = rendered if isinstance(rendered, DescriptionError) else _refusal(rendered)
        if error is not None:
            yield _of(subject, error)
            return
    yield from _named(subject)


def _refusal(rendered: RenderedProblem) -> DescriptionError | None:
    """What speaks against the parameters of its checks, if anything does."""
    try:
        predicates.check_parameters(rendered)
    except DescriptionError as error:
        return error
    return None


def _named(subject: Subject) -> Iterator[Complaint]:
    """Yield what a problem names and nobody knows."""
    if subject.found is None:
        return
    problem = subject.found.problem
    for what, named, there in (
        ("fault", [fault.kind for fault in problem.faults], registry.kinds()),
        ("noise", [noise.kind for noise in problem.noise], noises.kinds()),
        ("hold event", [event.kind for event in problem.hold_events], hold_events.kinds()),
    ):
        for kind in named:
            if kind not in there:
                message = f"there is no kind of {what} {kind}"
                known = ", ".join(sorted(there))
                yield Complaint("schema", subject.file, message, f"Known kinds: {known}.")
    if not subject.folder.resolve().match(problem.name):
        message = f"{problem.name} lies in a folder of another name"
        yield Complaint("schema", subject.file, message, "Let its name be its folder's.")
    try:
        decoys.load(subject.found.application)
    except (ClusterError, DescriptionError) as error:
        yield Complaint("schema", subject.file, str(error), "Correct the application.")


@rule("difficulty-missing")
def difficulty(subject: Subject) -> Iterable[Complaint]:
    """A problem says how hard it is, why that is believed, and an expert's minutes."""
    missing = _lacks_difficulty(subject)
    if missing:
        yield Complaint(
            "difficulty-missing",
            subject.file,
            f"difficulty lacks {', '.join(missing)}",
            "Give level, reason and expert_minutes, by somebody who has tried it.",
        )


def _lacks_difficulty(subject: Subject) -> list[str]:
    file = subject.folder / "problem.yaml"
    try:
        described = yaml_text.read(file.read_text(encoding="utf-8"), str(file)).data
    except (DescriptionError, UnicodeDecodeError):
        return []
    given = mapping(mapping(described).get("difficulty"))
    lacking = [name for name in _NEEDED if not given.get(name)]
    if _PLACEHOLDER.match(str(given.get("reason", ""))):
        lacking.append("a reason that is one")
    return lacking


def _of(subject: Subject, error: DescriptionError) -> Complaint:
    place = subject.file if error.line is None else f"{subject.file}:{error.line}"
    return Complaint("schema", place, error.message, error.hint)
