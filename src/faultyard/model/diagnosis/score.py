"""A diagnosis' score: nine answers and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

SCORING_VERSION: Final = 3
"""Raised whenever the same diagnosis may get another score."""
NEEDED: Final = 7
"""Answers of the nine that must be yes for success."""
LITERATURE_PASS: Final = 0.70
"""From which weighted score on the literature calls a diagnosis right."""


class Question(StrEnum):
    """The nine questions."""

    COMPONENT = "right_component"
    CASCADES = "told_apart_from_cascades"
    HEALTHY = "no_healthy_one_blamed"
    MECHANISM = "right_mechanism"
    DETAIL = "concrete_detail"
    NEIGHBOUR = "not_a_neighbouring_kind"
    OVER_ATTRIBUTED = "nothing_over_attributed"
    AFFECTED = "all_affected_named"
    IMPACT = "impact_fits_the_evidence"


DIMENSIONS: Final = {
    "localisation": (Question.COMPONENT, Question.CASCADES, Question.HEALTHY),
    "characterisation": (Question.MECHANISM, Question.DETAIL, Question.NEIGHBOUR),
    "failure_scope": (Question.OVER_ATTRIBUTED, Question.AFFECTED, Question.IMPACT),
}
"""The questions by what they ask about; each dimension weighs a third."""
_DECISIVE: Final = (*DIMENSIONS["localisation"], Question.MECHANISM, Question.NEIGHBOUR)
# Several guesses at the mechanism are no right one, as several blamed objects are none.


@dataclass(frozen=True)
class Answer:
    """One question's answer."""

    question: Question
    yes: bool
    reason: str
    """One sentence."""

    def to_json(self) -> dict[str, Any]:
        """Return the answer as data, the reason before what it led to."""
        return {"question": self.question.value, "reason": self.reason, "yes": self.yes}


@dataclass(frozen=True)
class Score:
    """How right a diagnosis is."""

    submitted: bool
    answers: tuple[Answer, ...]
    """All nine, in the order of the questions."""
    after_first_write: bool = False
    """It was sent only after the agent had changed something: a repair may have told it."""
    scoring_version: int = SCORING_VERSION

    @property
    def yes(self) -> int:
        """How many of the nine are yes."""
        return sum(answer.yes for answer in self.answers)

    @property
    def success(self) -> bool:
        """Localisation and mechanism are right, and at least seven of nine answers are yes."""
        right = {answer.question for answer in self.answers if answer.yes}
        return right.issuperset(_DECISIVE) and self.yes >= NEEDED

    @property
    def weighted(self) -> float:
        """The literature's score, 0 to 1: a third for each dimension, by its share of yes."""
        right = {answer.question for answer in self.answers if answer.yes}
        shares = [sum(q in right for q in asked) / len(asked) for asked in DIMENSIONS.values()]
        return sum(shares) / len(shares)

    @property
    def flags(self) -> tuple[str, ...]:
        """What a reader has to know beside the score, sentences."""
        if self.after_first_write:
            return ("it was sent after the agent's first accepted write",)
        return ()

    def to_json(self) -> dict[str, Any]:
        """Return the score as data."""
        return {
            "submitted": self.submitted,
            "success": self.success,
            "yes": self.yes,
            "of": len(Question),
            "answers": [answer.to_json() for answer in self.answers],
            "weighted": round(self.weighted, 3),
            "weighted_pass": self.weighted >= LITERATURE_PASS,
            "after_first_write": self.after_first_write,
            "flags": list(self.flags),
            "scoring_version": self.scoring_version,
        }


def not_submitted() -> Score:
    """The score of a trial without diagnosis."""
    reason = "no diagnosis was submitted"
    return Score(False, tuple(Answer(question, False, reason) for question in Question))
