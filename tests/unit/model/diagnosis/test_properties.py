"""What holds for every problem, every seed, every answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultyard.model import mechanisms
from faultyard.model.application import load_application
from faultyard.model.diagnosis import submission
from faultyard.model.diagnosis.grading import right_answer
from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.diagnosis.placement import Placement
from faultyard.model.diagnosis.questions import Grounds, grade
from faultyard.model.diagnosis.scope import Components
from faultyard.model.problem import load_problem
from unit.model.builders import ROOT
from unit.model.diagnosis.examples import HOTEL, PROBLEMS, Raw, grounds, of, right, score

assert HOTEL.application is not None
OBJECTS = [
    f"{kind}/hotel/{service.name}"
    for service in HOTEL.application.services
    for kind in ("Service", "Deployment")
]
# Some of the components are on each node, as in every cell.
PLACEMENT = Placement(
    {"Node//worker-1": frozenset({"geo", "mongodb-rate"}), "Node//worker-2": frozenset({"user"})}
)
# One ground truth for each Service, and a false alert: what a problem could draw its target from.
TARGETS = [
    of(component=text, setting="spec.ports[0].targetPort", observed=1, mechanism=mechanism)
    for text in OBJECTS[::2]
    for mechanism in ("service_port_mismatch", "service_selector_mismatch")
] + [of(Impact.NONE, mechanism="no_fault")]

a_cause = st.fixed_dictionaries(
    {
        "component": st.sampled_from(OBJECTS),
        "mechanism": st.sampled_from([t for t in mechanisms.TERMS if t != "no_fault"]),
    },
    optional={"setting": st.sampled_from(["targetPort", "spec.selector"]), "observed": st.just(1)},
)
likely_cause = st.fixed_dictionaries(
    {
        "component": st.sampled_from(OBJECTS[::2]),
        "mechanism": st.sampled_from(["service_port_mismatch", "service_selector_mismatch"]),
        "setting": st.just("targetPort"),
        "observed": st.just(1),
    }
)
an_answer = st.fixed_dictionaries(
    {
        "causes": st.lists(a_cause | likely_cause, min_size=1, max_size=5)
        | st.just([{"mechanism": "no_fault"}]),
        "affected": st.lists(st.sampled_from(OBJECTS), max_size=20),
        "impact": st.lists(st.sampled_from(list(Impact)), min_size=1, max_size=5),
        "evidence": st.just(["seen"]),
    }
)
spaces = st.text(" \t\n", max_size=3)


@given(an_answer)
@settings(max_examples=100, deadline=None)
def test_a_constant_answer_succeeds_on_at_most_one_of_many_targets(answer: Raw) -> None:
    diagnosis = submission.read(answer)
    successes = [truth for truth in TARGETS if grade(diagnosis, truth).success]
    assert len(successes) <= 1


def test_each_targets_own_answer_succeeds_on_it_alone() -> None:
    for own in TARGETS:
        successes = [truth for truth in TARGETS if score(right(own), truth).success]
        assert successes == [own]


@given(an_answer, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_order_does_not_matter(answer: Raw, random: object) -> None:
    other = {key: list(value) for key, value in answer.items()}
    for value in other.values():
        random.shuffle(value)  # type: ignore[attr-defined]
    for truth in TARGETS[::6]:
        one, two = score(answer, truth), score(other, truth)
        assert [a.yes for a in one.answers] == [a.yes for a in two.answers]


@given(spaces, spaces, st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_white_space_does_not_matter(before: str, after: str, seed: int) -> None:
    truth = grounds(seed)
    answer = right(truth)
    cause = answer["causes"][0]
    for field in ("component", "setting", "observed", "expected"):
        cause[field] = f"{before}{cause[field]}{after}"
    answer["affected"] = [f"{before}{text}{after}" for text in answer["affected"]]
    assert score(answer, truth).yes == 9


@given(an_answer)
@settings(max_examples=80, deadline=None)
def test_without_the_right_component_the_negative_questions_are_no(answer: Raw) -> None:
    for truth in TARGETS[::4]:
        found = {a.question.value: a.yes for a in score(answer, truth).answers}
        if not found["right_component"]:
            assert not found["told_apart_from_cascades"]
            assert not found["no_healthy_one_blamed"]
            assert not found["not_a_neighbouring_kind"]
            assert not found["nothing_over_attributed"]


@pytest.mark.parametrize("folder", PROBLEMS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_problems_ground_truth_is_right_by_its_own_rule_on_every_seed(folder: Path) -> None:
    problem, _ = load_problem(folder)
    application, _ = load_application(ROOT / "apps" / problem.application)
    for seed in range(30):
        truth = problem.render(seed).ground_truth
        impact = Impact.NONE if truth.no_fault else Impact.REQUESTS_FAIL
        against = Grounds(truth, Components(application, PLACEMENT), frozenset({impact}))
        answer = right_answer(against)
        submission.read(answer.model_dump(mode="json"))
        result = grade(answer, against)
        assert (result.success, result.yes) == (True, 9), [a for a in result.answers if not a.yes]
        assert truth.no_fault or against.scope.affected, "state `affected` or `breaks`"


@pytest.mark.parametrize("folder", PROBLEMS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_an_answer_for_one_seeds_target_is_wrong_for_every_other_target(folder: Path) -> None:
    problem, _ = load_problem(folder)
    application, _ = load_application(ROOT / "apps" / problem.application)
    failing = frozenset({Impact.REQUESTS_FAIL})
    every = [
        Grounds(problem.render(seed).ground_truth, Components(application, PLACEMENT), failing)
        for seed in range(15)
    ]
    for own in every:
        answer = right_answer(own)
        right_for = {g.truth.component for g in every if grade(answer, g).success}
        assert right_for == {own.truth.component}
