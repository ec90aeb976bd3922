"""What the agent named as the cause, and the answer that would have been right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from faultyard.model import mechanisms
from faultyard.model.case import Case
from faultyard.model.diagnosis.grading import grounds_of, right_answer
from faultyard.model.diagnosis.score import DIMENSIONS, Answer, Score
from faultyard.model.diagnosis.submission import Cause, Diagnosis
from faultyard.model.truth import TrueCause


@dataclass(frozen=True)
class Row:
    """One thing that is said of a cause."""

    name: str
    value: str
    note: str = ""
    """What it means, or what else is as right."""


@dataclass(frozen=True)
class Named:
    """A diagnosis."""

    causes: tuple[tuple[Row, ...], ...]
    affected: tuple[str, ...]
    impact: tuple[str, ...]
    evidence: tuple[str, ...]
    explanation: str


@dataclass(frozen=True)
class Dimension:
    """Three of the nine questions."""

    name: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Place:
    """Where the fault shows to somebody who knows where to look."""

    signal: str
    query: str
    shows: str


def submitted(case: Case) -> Named | None:
    """Return what the agent submitted; None: nothing."""
    recorded = case.record.diagnosis
    if recorded is None:
        return None
    said = recorded.diagnosis
    return _named(said, [()] * len(said.causes), said.evidence)


def truth(case: Case) -> Named:
    """Return what is right, with what is accepted beside it."""
    grounds = grounds_of(case.record)
    notes = [tuple(_also(cause)) for cause in grounds.truth.causes]
    return _named(right_answer(grounds), notes, ())


def dimensions(score: Score) -> list[Dimension]:
    """Return the nine answers by what they ask about."""
    by_question = {answer.question: answer for answer in score.answers}
    return [
        Dimension(name.replace("_", " "), tuple(by_question[one] for one in asked))
        for name, asked in DIMENSIONS.items()
    ]


def places(case: Case) -> list[Place]:
    """Return where the fault shows."""
    return [
        Place(
            one.signal,
            one.query
            if isinstance(one.query, str)
            else _text(one.query.model_dump(mode="json", exclude_defaults=True)),
            one.shows,
        )
        for one in case.record.problem.ground_truth.evidence
    ]


def _named(said: Diagnosis, notes: Sequence[Iterable[Row]], evidence: Iterable[str]) -> Named:
    return Named(
        tuple((*_rows(cause), *more) for cause, more in zip(said.causes, notes, strict=True)),
        tuple(said.affected),
        tuple(impact.value.replace("_", " ") for impact in said.impact),
        tuple(evidence),
        said.explanation,
    )


def _rows(cause: Cause) -> list[Row]:
    rows = [
        Row("component", cause.component or "none: nothing is broken"),
        Row("setting", cause.setting),
        Row("observed", _text(cause.observed)),
        Row("expected", _text(cause.expected)),
        Row("mechanism", cause.mechanism, mechanisms.TERMS[cause.mechanism].sentence),
    ]
    return [row for row in rows if row.value]


def _also(cause: TrueCause) -> list[Row]:
    """Return what is as right."""
    also = cause.also
    listed = {
        "component": also.components,
        "setting": also.settings,
        "observed": also.observed,
        "expected": also.expected,
        "mechanism": also.mechanisms,
    }
    return [
        Row(f"{name}, as right", ", ".join(map(_text, values)))
        for name, values in listed.items()
        if values
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
