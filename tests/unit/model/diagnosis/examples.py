"""The hotel's problem on any seed, with what its diagnoses are compared with."""

from __future__ import annotations

from functools import cache
from typing import Any

from faultyard.model.application import load_application
from faultyard.model.diagnosis import submission
from faultyard.model.diagnosis.grading import right_answer
from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.diagnosis.questions import Grounds, grade
from faultyard.model.diagnosis.scope import Components
from faultyard.model.diagnosis.score import Question, Score
from faultyard.model.problem import load_problem
from faultyard.model.truth import GroundTruth
from unit.model.builders import ROOT

HOTEL = Components(load_application(ROOT / "apps/hotel")[0])
PROBLEMS = sorted(path.parent for path in (ROOT / "problems").glob("*/*/problem.yaml"))
Raw = dict[str, Any]


@cache
def grounds(seed: int = 1) -> Grounds:
    """Seed 1 breaks reservation, whose callers are user and frontend."""
    problem, _ = load_problem(ROOT / "problems/hotel/wrong-target-port")
    truth = problem.render(seed).ground_truth
    return Grounds(truth, HOTEL, frozenset({Impact.REQUESTS_FAIL}))


def of(impact: Impact = Impact.REQUESTS_FAIL, **truth: Any) -> Grounds:
    return Grounds(GroundTruth(**truth), HOTEL, frozenset({impact}))


def right(against: Grounds) -> Raw:
    """The right answer as JSON, to be bent."""
    return right_answer(against).model_dump(mode="json")


def score(answer: Raw, against: Grounds) -> Score:
    return grade(submission.read(answer), against)


def noes(answer: Raw, against: Grounds) -> set[str]:
    """The questions that are answered with no."""
    return {a.question.value for a in score(answer, against).answers if not a.yes}


def reason(answer: Raw, against: Grounds, question: Question) -> str:
    return next(a.reason for a in score(answer, against).answers if a.question is question)
