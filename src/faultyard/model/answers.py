"""The words that would give a problem's answer away: for alerts, and for what is told of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from faultyard.model.problem import RenderedProblem
from faultyard.model.truth import TrueCause

# Words of paths that every object has, and values that are everyday words.
_VAGUE: Final = frozenset(
    "spec status metadata template containers name value data type port ports path key host kind "
    "service unit state replicas true false none absent yes no on off".split()
)
_LEAST: Final = 2
"""Characters of a word that names anything."""
WITHHELD: Final = "…"
"""Stands where an answer would."""


def words(rendered: RenderedProblem) -> Iterator[tuple[str, str]]:
    """Yield what would give the answer away: what it is, and the word."""
    truth = rendered.ground_truth
    causes = (*truth.causes, *truth.later)
    named = [component for cause in causes for component in cause.components]
    for component in (*named, *truth.healthy, *truth.consequences):
        name = component.split("/")[-1]
        # An object that is called after its namespace is told by its kind and name together.
        whole = name in rendered.boundary.namespaces
        yield "an object of the ground truth", component if whole else name
    for cause in causes:
        yield from _of_cause(cause)
    for fault in rendered.faults:
        for value in texts(list(fault.with_.values())):
            if value not in rendered.boundary.namespaces:
                yield "a parameter of the fault", value


def says(text: str, word: str) -> bool:
    """Whether a text has the word, or words, in it; everyday words never count.

    A part of a word with dashes is another word: a `user-team` is not the service `user`.
    """
    found = _pattern(word, r"\w-")
    return found is not None and found.search(text) is not None


def withheld(value: Any, rendered: RenderedProblem) -> Any:
    """Return nested values in which every text that says the answer is `WITHHELD`.

    A part of a name says it too: `mongodb-user-init` belongs to the service `user`.
    """
    patterns = [found for _, word in words(rendered) if (found := _pattern(word, "A-Za-z0-9"))]

    def closed(inner: Any) -> Any:
        if isinstance(inner, Mapping):
            return {key: closed(part) for key, part in inner.items()}
        if isinstance(inner, list | tuple):
            return [closed(part) for part in inner]
        told = any(pattern.search(str(inner)) for pattern in patterns)
        return WITHHELD if told else inner

    return closed(value)


def texts(value: Any) -> Iterator[str]:
    """Yield every key and every scalar in nested values, as text."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


def _of_cause(cause: TrueCause) -> Iterator[tuple[str, str]]:
    for term in cause.mechanisms:
        yield "a mechanism of the ground truth", term
    for setting in (cause.setting, *cause.also.settings):
        for word in re.findall(r"[\w-]+(?:\.service)?", setting or ""):
            yield "of the ground truth's setting", word
    for value in (cause.observed, cause.expected, *cause.also.observed, *cause.also.expected):
        yield "a value of the ground truth", str(value)


def _pattern(word: str, letters: str) -> re.Pattern[str] | None:
    """The word among others, its parts joined in any way; None: it tells nothing.

    Args:
        word: the word.
        letters: what words are made of, as in a regular expression's brackets.
    """
    if len(word) < _LEAST or word.lower() in _VAGUE:
        return None
    spelt = "[ _-]".join(re.escape(part) for part in re.split(r"[ _-]", word))
    return re.compile(rf"(?<![{letters}]){spelt}(?![{letters}])", re.IGNORECASE)
