from faultyard.model.diagnosis.score import DIMENSIONS, Question
from faultyard.reports import words
from unit.model.builders import Trial
from unit.reports.pages import Page, as_problems_do, diagnosis, page_of, secret

RIGHT = "What was broken"


def shown(trial: Trial, files: dict[str, bytes]) -> str:
    return Page(page_of(trial, files)).text


def test_the_truth_of_a_problem_that_leaves_the_rest_to_be_derived_is_whole() -> None:
    text = Page(secret(page_of(as_problems_do(Trial())))).text
    assert "component Service/hotel/rate" in text
    assert "observed 8091 expected 8084" in text
    assert "impact on users requests fail" in text


def test_the_truth_says_where_the_fault_shows() -> None:
    trial = Trial()
    evidence = """evidence: [
      {signal: metrics, query: 'up == 0', shows: The target is down for all.},
      {signal: traces, query: {service: search, tags: {error: "true"}}, shows: Calls end in errors.}
    ], observed:"""
    trial.problem = trial.problem.replace("observed:", evidence, 1)
    text = Page(secret(page_of(trial))).text
    assert "metrics The target is down for all. up == 0" in text
    assert 'Calls end in errors. {"service": "search", "tags": {"error": "true"}}' in text


def test_a_right_diagnosis_has_nine_of_nine() -> None:
    text = shown(Trial(), diagnosis())
    assert "Diagnosis 9 of 9 right, and safely repaired" in text
    assert "Reported at +0:04.0 from the turn's start." in text
    assert "traces: search cannot reach rate" in text
    assert "rate is asked at a port on which it does not listen." in text


def test_a_wrong_one_is_told_question_by_question_only_where_the_truth_is() -> None:
    page = page_of(Trial(), diagnosis(cause={"component": "Service/hotel/search"}))
    reason = "the cause does not lie in Service/hotel/search"
    assert "not right" in Page(page).text
    assert reason in Page(secret(page)).text
    assert Page(page).text.count(reason) == 1


def test_what_was_broken_stands_nowhere_but_in_the_truth() -> None:
    page = page_of(Trial(), diagnosis())
    assert RIGHT in secret(page)
    assert page.count(RIGHT) == 1


def test_one_that_came_after_the_first_write_is_flagged() -> None:
    flag = "It was sent after the agent's first accepted write."
    assert flag in shown(Trial(), diagnosis(at=50))
    assert flag not in shown(Trial(), diagnosis())


def test_none_is_said_to_be_none() -> None:
    text = Page(page_of(Trial())).text
    assert "The agent reported no cause." in text
    assert "Nine questions" not in text


def test_that_nothing_is_broken_is_shown_as_an_answer() -> None:
    said = diagnosis(
        causes=[{"mechanism": "no_fault"}], affected=[], impact=["none"], explanation=""
    )
    assert "component none: nothing is broken" in shown(Trial(), said)


def test_every_question_has_its_words_and_its_dimension() -> None:
    assert set(words.QUESTIONS) == set(Question)
    assert {question for asked in DIMENSIONS.values() for question in asked} == set(Question)
