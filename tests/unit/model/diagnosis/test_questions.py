"""The nine questions, one by one, on the hotel whose reservation Service has a wrong port."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.diagnosis.questions import Grounds
from faultyard.model.diagnosis.score import DIMENSIONS, Answer, Question, Score, not_submitted
from unit.model.diagnosis.examples import HOTEL, Raw, grounds, noes, of, reason, right, score

LOCALISATION = {q.value for q in DIMENSIONS["localisation"]}
NEGATIVE = {"told_apart_from_cascades", "no_healthy_one_blamed", "not_a_neighbouring_kind"} | {
    "nothing_over_attributed"
}


@pytest.fixture
def truth() -> Grounds:
    return grounds()


@pytest.fixture
def answer(truth: Grounds) -> Raw:
    return right(truth)


def also(answer: Raw, **cause: Any) -> None:
    answer["causes"].append(answer["causes"][0] | cause)


def test_the_right_answer_is_right_in_all_nine(truth: Grounds, answer: Raw) -> None:
    result = score(answer, truth)
    assert (result.success, result.yes, result.weighted) == (True, 9, pytest.approx(1))
    assert all(a.reason for a in result.answers)


def test_a_slice_of_the_service_is_the_right_component(truth: Grounds, answer: Raw) -> None:
    answer["causes"][0]["component"] = "EndpointSlice/hotel/reservation-x7k2p"
    assert noes(answer, truth) == set()


def test_the_healthy_workload_behind_the_service_is_not_the_cause(
    truth: Grounds, answer: Raw
) -> None:
    answer["causes"][0]["component"] = "Deployment/hotel/reservation"
    assert noes(answer, truth) == {*LOCALISATION, *NEGATIVE}
    assert "is well and was blamed" in reason(answer, truth, Question.HEALTHY)


def test_a_caller_is_a_consequence_and_not_the_cause(truth: Grounds, answer: Raw) -> None:
    answer["causes"][0]["component"] = "Pod/hotel/frontend-7d9f8b6c5d-x2x9q"
    assert noes(answer, truth) == {*LOCALISATION, *NEGATIVE}
    assert "suffers with the fault" in reason(answer, truth, Question.CASCADES)


def test_blaming_a_consequence_beside_the_cause_is_no_success(truth: Grounds, answer: Raw) -> None:
    also(answer, component="Deployment/hotel/frontend")
    assert noes(answer, truth) == {"told_apart_from_cascades"}
    assert not score(answer, truth).success


def test_blaming_something_healthy_beside_the_cause_is_no_success(
    truth: Grounds, answer: Raw
) -> None:
    also(answer, component="ConfigMap/hotel/settings")
    assert noes(answer, truth) == {"no_healthy_one_blamed"}
    assert not score(answer, truth).success


def test_the_same_cause_under_two_names_is_one(truth: Grounds, answer: Raw) -> None:
    also(answer, component="Endpoints/hotel/reservation")
    assert noes(answer, truth) == set()


def test_a_neighbouring_mechanism_is_wrong_and_said_to_be_near(truth: Grounds, answer: Raw) -> None:
    answer["causes"][0]["mechanism"] = "service_selector_mismatch"
    assert noes(answer, truth) == {"right_mechanism", "not_a_neighbouring_kind"}
    assert "neighbouring kind" in reason(answer, truth, Question.NEIGHBOUR)
    assert not score(answer, truth).success


def test_a_mechanism_far_away_earns_no_more_than_a_near_one(truth: Grounds, answer: Raw) -> None:
    answer["causes"][0]["mechanism"] = "clock_skew"
    assert noes(answer, truth) == {"right_mechanism", "not_a_neighbouring_kind"}


def test_guessing_several_mechanisms_is_no_success(truth: Grounds, answer: Raw) -> None:
    also(answer, mechanism="service_selector_mismatch")
    also(answer, mechanism="network_policy_blocks")
    assert noes(answer, truth) == {"not_a_neighbouring_kind"}
    assert not score(answer, truth).success


def test_the_port_by_name_is_the_expected_value_too(truth: Grounds, answer: Raw) -> None:
    answer["causes"][0]["expected"] = "grpc"
    assert noes(answer, truth) == set()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("setting", "spec.selector", "not the setting"),
        ("setting", "", "no setting"),
        ("observed", 80, "not the observed"),
        ("observed", None, "no observed"),
        ("expected", 80, "not the expected"),
        ("expected", None, "no expected"),
    ],
)
def test_a_wrong_detail_costs_one_answer_and_not_the_success(
    truth: Grounds, answer: Raw, field: str, value: Any, said: str
) -> None:
    answer["causes"][0][field] = value
    assert noes(answer, truth) == {"concrete_detail"}
    assert said in reason(answer, truth, Question.DETAIL)
    assert score(answer, truth).success


def test_naming_something_unaffected_is_over_attribution(truth: Grounds, answer: Raw) -> None:
    answer["affected"].append("Deployment/hotel/geo")
    assert noes(answer, truth) == {"nothing_over_attributed"}


@pytest.mark.parametrize(
    "text", ["Deployment/hotel/reservation", "reservation", "Service/hotel/reservation"]
)
def test_the_component_of_the_cause_may_be_named_as_affected(
    truth: Grounds, answer: Raw, text: str
) -> None:
    answer["affected"].append(text)
    assert noes(answer, truth) == set()


def test_every_caller_over_hard_edges_has_to_be_named(truth: Grounds, answer: Raw) -> None:
    answer["affected"] = ["svc/hotel/frontend"]
    assert noes(answer, truth) == {"all_affected_named"}
    assert reason(answer, truth, Question.AFFECTED).startswith("user is affected")


def test_callers_may_be_named_as_objects_pods_or_services(truth: Grounds, answer: Raw) -> None:
    answer["affected"] = ["Pod/hotel/frontend-7d9f8b6c5d-x2x9q", "deploy/hotel/user"]
    assert noes(answer, truth) == set()


@pytest.mark.parametrize("impact", [["none"], ["requests_slow"], ["requests_fail", "data"[:0]]])
def test_an_impact_that_was_not_measured_is_wrong(
    truth: Grounds, answer: Raw, impact: list[str]
) -> None:
    answer["impact"] = [kind for kind in impact if kind] + (
        ["wrong_results"] if "" in impact else []
    )
    assert noes(answer, truth) == {"impact_fits_the_evidence"}


def test_one_of_two_measured_impacts_fits(answer: Raw, truth: Grounds) -> None:
    both = frozenset({Impact.REQUESTS_FAIL, Impact.REQUESTS_SLOW})
    answer["impact"] = ["requests_slow"]
    assert noes(answer, Grounds(truth.truth, HOTEL, both)) == set()


def test_without_figures_no_impact_fits(answer: Raw, truth: Grounds) -> None:
    assert noes(answer, Grounds(truth.truth, HOTEL, None)) == {"impact_fits_the_evidence"}


def test_saying_that_nothing_is_broken_is_wrong_in_all_nine(truth: Grounds) -> None:
    nothing = {"causes": [{"mechanism": "no_fault"}], "impact": ["none"], "evidence": ["all up"]}
    assert score(nothing, truth).yes == 0


def test_reasons_do_not_give_the_answer_away(truth: Grounds, answer: Raw) -> None:
    answer["causes"] = [
        {"component": "Deployment/hotel/geo", "mechanism": "clock_skew", "setting": "spec.replicas"}
    ]
    told = " ".join(a.reason for a in score(answer, truth).answers)
    assert not [w for w in ("Service/hotel/reservation", "target", "port_mism") if w in told]


def test_a_false_alert_is_answered_by_no_fault() -> None:
    truth = of(Impact.NONE, mechanism="no_fault")
    assert score(right(truth), truth).yes == 9
    assert right(truth)["causes"][0]["component"] is None


def test_blaming_something_for_a_false_alert_is_wrong(answer: Raw) -> None:
    truth = of(Impact.NONE, mechanism="no_fault")
    assert noes(answer, truth) == {q.value for q in Question} - {"all_affected_named"}


SECRET = {
    "component": "Secret/hotel/rate-db",
    "setting": "data.password",
    "observed": "old",
    "mechanism": "credential_mismatch",
    "breaks": ["rate"],
    "also": {"components": ["StatefulSet/hotel/mongodb-rate"]},
}


def test_what_a_cause_outside_the_components_breaks_is_affected_and_a_cascade() -> None:
    truth = of(**SECRET)
    assert right(truth)["affected"] == ["frontend", "rate", "search"]
    blamed = right(truth)
    blamed["causes"][0]["component"] = "Deployment/hotel/rate"
    assert "suffers with" in reason(blamed, truth, Question.CASCADES)


def test_a_neighbouring_component_that_is_accepted_is_right() -> None:
    truth = of(**SECRET)
    neighbour = right(truth)
    neighbour["causes"][0]["component"] = "StatefulSet/hotel/mongodb-rate"
    assert noes(neighbour, truth) == set()


def test_soft_callers_may_be_named_and_need_not() -> None:
    truth = of(
        Impact.REQUESTS_SLOW,
        component="Deployment/hotel/memcached-rate",
        mechanism="memory_limit_too_low",
    )
    answer = right(truth)
    assert answer["affected"] == []
    answer["affected"] = ["rate", "search", "frontend"]
    assert noes(answer, truth) == set()


def test_two_causes_have_to_be_found_both() -> None:
    node = {"component": "Node//worker-1", "mechanism": "node_agent_down", "breaks": ["geo"]}
    truth = of(**SECRET, others=[node])
    answer = right(truth)
    assert score(answer, truth).yes == 9
    answer["causes"].pop()
    assert not score(answer, truth).success
    assert reason(answer, truth, Question.COMPONENT) == "1 of 2 causes are named"


def test_two_causes_in_one_component_may_have_two_mechanisms() -> None:
    both = {"component": "Deployment/hotel/rate", "mechanism": "cpu_limit_too_low"}
    truth = of(**both, others=[both | {"mechanism": "probe_misconfigured"}])
    assert score(right(truth), truth).yes == 9


def test_without_the_application_whatever_has_the_name_is_the_component() -> None:
    known = grounds()
    bare = Grounds(
        known.truth.model_copy(update={"affected": ["frontend"]}), type(HOTEL)(None), known.impact
    )
    answer = right(bare) | {"affected": ["Deployment/hotel/frontend", "reservation"]}
    assert noes(answer, bare) == set()


def test_no_diagnosis_is_no_in_all_nine_and_said_plainly() -> None:
    result = not_submitted()
    assert (result.success, result.yes, result.submitted) == (False, 0, False)
    assert {a.reason for a in result.answers} == {"no diagnosis was submitted"}


def with_noes(*wrong: str) -> Score:
    return Score(True, tuple(Answer(q, q.value not in wrong, "so") for q in Question))


@pytest.mark.parametrize(
    ("wrong", "success"),
    [
        ((), True),
        (("concrete_detail", "all_affected_named"), True),
        (("concrete_detail", "all_affected_named", "impact_fits_the_evidence"), False),
        (("right_component",), False),
        (("told_apart_from_cascades",), False),
        (("no_healthy_one_blamed",), False),
        (("right_mechanism",), False),
        (("not_a_neighbouring_kind",), False),
    ],
)
def test_success_takes_localisation_mechanism_and_seven_of_nine(
    wrong: tuple[str, ...], success: bool
) -> None:
    assert with_noes(*wrong).success is success


def test_the_weighted_score_gives_each_dimension_a_third() -> None:
    result = with_noes(*LOCALISATION)
    assert result.weighted == pytest.approx(2 / 3)
    assert result.to_json()["weighted_pass"] is False
    assert with_noes("concrete_detail", "all_affected_named").to_json()["weighted_pass"] is True
