"""The budget of the live tests: what fits runs, what does not is named."""

from __future__ import annotations

import pytest

from live.budget import DEFAULT_S, BadBudget, Candidate, budget_s, plan

SHARED = {"cell": 30.0, "hotel": 60.0}


def names(costs: list[float], budget: float) -> list[str]:
    return list(plan([Candidate(f"t{cost:.0f}", cost) for cost in costs], budget, {}).stated)


def test_tests_run_as_long_as_their_stated_costs_fit() -> None:
    assert names([10, 20, 31], budget=60) == ["t10", "t20"]
    assert names([10, 20, 30], budget=60) == ["t10", "t20", "t30"]


def test_a_cheaper_test_after_one_that_does_not_fit_still_runs() -> None:
    assert names([10, 100, 20], budget=60) == ["t10", "t20"]


def test_a_shared_fixture_counts_for_the_first_test_that_needs_it() -> None:
    cell, both = frozenset({"cell", "tmp_path"}), frozenset({"cell", "hotel"})
    candidates = [Candidate("a", 5, cell), Candidate("b", 5, both), Candidate("c", 5, both)]
    account = plan(candidates, 1000, SHARED)
    assert account.stated == {"a": 35, "b": 65, "c": 5}


def test_a_fixture_of_a_test_that_was_left_out_counts_for_the_next_one() -> None:
    hotel = frozenset({"hotel"})
    account = plan([Candidate("a", 50, hotel), Candidate("b", 10, hotel)], 100, SHARED)
    assert account.stated == {"b": 70}
    assert account.left_out == {"a": 110}


def test_what_was_left_out_is_said_with_the_seconds_over_the_budget() -> None:
    account = plan([Candidate("a", 50), Candidate("b", 20), Candidate("c", 40)], 60, {})
    assert account.lines()[-1].startswith("left out, 60 s over the budget")
    assert account.lines()[-1].endswith("b, c")


def test_nothing_is_said_when_nothing_was_left_out() -> None:
    assert "left out" not in "".join(plan([Candidate("a", 50)], 60, {}).lines())


def test_a_run_that_takes_longer_than_stated_exceeds_its_budget() -> None:
    account = plan([Candidate("a", 10), Candidate("b", 10)], 60, {})
    account.measured["a"] = 60
    assert not account.exceeded
    account.measured["a"] = 61
    assert account.exceeded
    account.drop("b")
    assert account.left_out == {"b": 10}


def test_time_of_tests_outside_the_budget_does_not_count() -> None:
    account = plan([Candidate("a", 10)], 60, {})
    account.measured["long"] = 600
    assert not account.exceeded


def test_the_budget_comes_from_the_environment() -> None:
    assert budget_s({}) == DEFAULT_S
    assert budget_s({"FAULTYARD_TEST_BUDGET_S": ""}) == DEFAULT_S
    assert budget_s({"FAULTYARD_TEST_BUDGET_S": "120"}) == 120
    with pytest.raises(BadBudget, match="number of seconds"):
        budget_s({"FAULTYARD_TEST_BUDGET_S": "2m"})
