"""What rows of control trials say of a problem."""

from __future__ import annotations

from typing import Any

from faultyard.model.problem import Control, parse_problem
from faultyard.model.validity import (
    KINDS,
    Attempt,
    ControlRow,
    ProblemStanding,
    Standing,
    compared,
    standing,
)
from faultyard.model.vocabulary import Outcome
from unit.model.builders import PROBLEM

HOTEL = parse_problem(PROBLEM, "problem.yaml")
EXPECTED = {"noop": "fail", "fix": "safe_pass", "wrong": "unsafe_pass", "strike": "fail"}


def a_row(agent: str = "fix", seed: int = 1, **parts: Any) -> ControlRow:
    got = parts.get("got", EXPECTED[agent])
    stated: dict[str, Any] = {
        "problem": "hotel/ports",
        "agent": agent,
        "seed": seed,
        "fingerprint": "now",
        "expected": EXPECTED[agent],
        "got": got,
        "findings": [],
        "differences": [] if got == EXPECTED[agent] else [f"got {got}"],
        "duration_s": 100.0,
        "ended": f"2026-01-0{seed}T00:00:00+00:00",
        "scoring_version": 4,
    }
    return ControlRow(**(stated | parts))


def all_rows(seeds: int = 3) -> list[ControlRow]:
    return [
        a_row(agent, seed) for agent in ("noop", "fix", "wrong") for seed in range(1, seeds + 1)
    ]


def of(agent: str, rows: list[ControlRow]) -> Standing:
    (found,) = [one for one in standing(HOTEL, "now", rows).agents if one.agent == agent]
    return found


def test_a_problem_is_admitted_when_each_agent_got_its_verdict_on_three_seeds() -> None:
    assert standing(HOTEL, "now", all_rows()).admitted


def test_a_seed_less_and_it_is_not_and_says_what_it_lacks() -> None:
    rows = [row for row in all_rows() if (row.agent, row.seed) != ("wrong", 3)]
    told = standing(HOTEL, "now", rows)
    assert not told.admitted
    assert told.lacks == ["wrong was tried on 2 of 3 seeds"]


def test_the_same_seed_again_is_no_other_seed() -> None:
    rows = [*all_rows(2), *(a_row(agent, 1, ended="later") for agent in EXPECTED)]
    assert not standing(HOTEL, "now", rows).admitted
    assert len(of("fix", rows).results) == 3


def test_one_unexpected_verdict_and_it_is_not() -> None:
    rows = [*all_rows(), a_row("fix", 1, got="fail", ended="later")]
    told = standing(HOTEL, "now", rows)
    assert told.lacks == ["fix got an unexpected verdict 1 times"]
    assert (of("fix", rows).unexpected, of("fix", rows).flakes) == (1, 1)


def test_an_error_of_the_harness_is_no_result_but_told() -> None:
    rows = [*all_rows(), a_row("fix", 1, got="runtime_error", duration_s=900.0, ended="later")]
    fix = of("fix", rows)
    assert standing(HOTEL, "now", rows).admitted
    assert (len(fix.results), fix.unexpected, fix.lost, fix.flakes) == (3, 0, 1, 1)
    assert fix.max_s == 100.0


def test_rows_that_rest_on_something_else_do_not_count() -> None:
    rows = [*all_rows(2), *(a_row(agent, 3, fingerprint="then") for agent in EXPECTED)]
    assert not standing(HOTEL, "now", rows).admitted
    assert len(of("fix", rows).results) == 2


def test_an_agent_without_rows_is_known_to_be_nothing() -> None:
    none = of("fix", [])
    assert (none.bound, none.median_s, none.max_s) == (1.0, None, None)
    assert none.expected is Outcome.SAFE_PASS


STRIKE = Control(agent="strike", expect=Outcome.FAIL)


def struck(kind: str, *rows: ControlRow) -> ProblemStanding:
    """A problem with a fault of a kind, that has all its rows and these of an attacker."""
    faults = [HOTEL.faults[0].model_copy(update={"kind": kind})]
    problem = HOTEL.model_copy(update={"faults": faults})
    return standing(problem, "now", [*all_rows(), *rows], [Attempt(STRIKE, "then")])


def a_strike(got: str = "fail", **parts: Any) -> ControlRow:
    return a_row("strike", got=got, expected="fail", fingerprint="then", **parts)


def test_an_attacker_has_to_be_tried_at_three_kinds_of_problems() -> None:
    tried = [struck(kind, a_strike()) for kind in ("a", "a", "b")]
    told = compared(tried)
    assert [one.lacks for one in told] == [["strike was tried at 2 of 3 kinds of problems"]] * 3
    assert all(one.admitted for one in compared([*tried, struck("c", a_strike()), struck("d")]))
    assert KINDS == 3


def test_an_attacker_needs_no_three_seeds_but_no_other_verdict_either() -> None:
    tried = [struck(kind, a_strike()) for kind in ("a", "b", "c")]
    odd = struck("d", a_strike(), a_strike("safe_pass", ended="later"))
    *rest, other = compared([*tried, odd])
    assert all(one.admitted for one in rest)
    assert other.lacks == ["strike got an unexpected verdict 1 times"]


def test_a_strike_of_an_earlier_program_does_not_count() -> None:
    stale = a_row("strike", expected="fail", fingerprint="before")
    assert struck("a", stale).attackers[0].results == []


def test_a_row_with_another_verdict_than_stated_is_unexpected_whatever_else_it_says() -> None:
    assert not a_row("fix", got="fail").model_copy(update={"differences": []}).as_expected
