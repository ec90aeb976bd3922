"""alert-names-answer: what an agent is told names nothing of what it is to find out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from faultyard.campaigns.lint.rule import Complaint, Subject, rule, texts
from faultyard.model.problem import RenderedProblem
from faultyard.model.truth import TrueCause

# Words of paths that every object has, and values that are everyday words.
_VAGUE = frozenset(
    "spec status metadata template containers name value data type port ports path key host kind "
    "service unit state replicas true false none absent yes no on off".split()
)
_LEAST = 2
"""Characters of a word that names anything."""


@rule("alert-names-answer")
def alert(subject: Subject) -> Iterable[Complaint]:
    """An alert names no object, setting, value or mechanism of the ground truth, on any seed."""
    told: dict[str, str] = {}
    for seed, rendered in subject.rendered.items():
        for what, word in _answers(rendered):
            if _says(rendered.alert, word) and word not in told:
                told[word] = f"the alert of seed {seed} says {word!r}, {what}"
    for message in told.values():
        hint = "Say what users or a monitor would say, without the cause."
        yield Complaint("alert-names-answer", subject.file, message, hint)


def _answers(rendered: RenderedProblem) -> Iterator[tuple[str, str]]:
    """Yield what would give the answer away: what it is, and the word."""
    truth = rendered.ground_truth
    named = [component for cause in truth.causes for component in cause.components]
    for component in (*named, *truth.healthy, *truth.consequences):
        yield "an object of the ground truth", component.split("/")[-1]
    for cause in truth.causes:
        yield from _of_cause(cause)
    for fault in rendered.faults:
        for value in texts(list(fault.with_.values())):
            if value not in rendered.boundary.namespaces:
                yield "a parameter of the fault", value


def _of_cause(cause: TrueCause) -> Iterator[tuple[str, str]]:
    for term in cause.mechanisms:
        yield "a mechanism of the ground truth", term
    for setting in (cause.setting, *cause.also.settings):
        for word in re.findall(r"[\w-]+(?:\.service)?", setting or ""):
            yield "of the ground truth's setting", word
    for value in (cause.observed, cause.expected, *cause.also.observed, *cause.also.expected):
        yield "a value of the ground truth", str(value)


def _says(text: str, word: str) -> bool:
    if len(word) < _LEAST or word.lower() in _VAGUE:
        return False
    spelt = "[ _-]".join(re.escape(part) for part in re.split(r"[ _-]", word))
    return re.search(rf"(?<![\w-]){spelt}(?![\w-])", text, re.IGNORECASE) is not None
