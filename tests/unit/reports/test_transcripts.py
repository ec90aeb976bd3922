import json
from typing import get_args

import pytest

from faultyard.model.calls import OUTCOMES, CallsError, parse
from faultyard.model.errors import DamagedRecord
from faultyard.reports import words
from faultyard.reports.excerpts import size
from faultyard.tools.turn_end import Reason
from unit.model.builders import Trial
from unit.reports.pages import Page, a_call, calls, page_of, resolution, told


def shown(*lines: dict[str, object]) -> str:
    return Page(page_of(Trial(), calls(*lines))).text


def test_a_call_is_one_line_with_what_it_asked_and_what_came_of_it() -> None:
    text = shown(a_call(33, "kubectl", {"args": "get pods -A", "stdin": ""}, duration_s=0.125))
    assert "+0:01.0 kubectl get pods -A 125 ms, 2 B" in text


def test_words_of_a_command_line_are_told_as_one() -> None:
    text = shown(a_call(33, "kubectl", {"args": ["get", "pods", "-l", "app in (a, b)"]}))
    assert "kubectl get pods -l 'app in (a, b)' 200 ms" in text


@pytest.mark.parametrize("reason", get_args(Reason))
def test_there_are_words_for_every_end_of_a_turn(reason: str) -> None:
    trial = Trial()
    trial.meta["turn_end_reason"] = reason
    text = Page(page_of(trial)).text
    assert f"28.0 s until {words.TURN_ENDS[reason]}" in text
    assert f"The turn ends: {words.TURN_ENDS[reason]}" in text


def test_several_arguments_are_told_by_their_names() -> None:
    text = shown(a_call(33, "node_exec", {"node": "worker-1", "command": "uptime"}))
    assert "node=worker-1 command=uptime" in text


def test_calls_and_requests_are_one_story_in_order() -> None:
    text = Page(page_of(Trial(), told())).text
    order = ["metrics_query", "The agent reports a cause", "patch Service/hotel/rate", "resolve"]
    text = text[text.index("The agent's turn begins") :]
    places = [text.index(each) for each in order]
    assert places == sorted(places)


def test_requests_that_a_call_made_stand_under_it() -> None:
    page = page_of(Trial(), told())
    assert page.count('class="reads within"') == 1
    assert page.count('class="act write within"') == 1
    assert "within" not in page_of(Trial()).partition("<body")[2].partition("<script")[0]


def test_long_arguments_are_cut_in_the_line_and_whole_when_unfolded() -> None:
    page = page_of(Trial(), calls(a_call(33, "kubectl", {"args": "x" * 500})))
    assert f"<code>{'x' * 160} …</code>" in page
    assert "x" * 500 in page


@pytest.mark.parametrize("outcome", [each for each in OUTCOMES if each != "ok"])
def test_a_call_that_came_to_nothing_says_so(outcome: str) -> None:
    assert words.CALLS[outcome] in shown(a_call(33, "kubectl", outcome=outcome))  # type: ignore[index]


def test_what_failed_through_the_harness_is_told_as_its_own() -> None:
    text = shown(a_call(33, "kubectl", outcome="failed", failure="KeyError: x"))
    assert "Harness: KeyError: x" in text


def test_tools_are_counted_without_calls_after_the_end() -> None:
    text = Page(page_of(Trial(), told())).text
    assert "8 tool calls" in text
    assert "kubectl 3 1 0.6 s" in text


def test_answers_do_not_make_the_page_too_large() -> None:
    answer = "\n".join("x" * 200 for _ in range(1300))
    page = page_of(Trial(), calls(*(a_call(33, "kubectl", answer=answer) for _ in range(400))))
    assert len(page) < 4_000_000
    assert "left out here, since the page would grow too large; see agent/calls.jsonl" in page
    assert "100 later calls of tools are left out here" in page


def test_reports_are_moments_of_the_turn() -> None:
    text = Page(page_of(Trial(), told())).text
    assert "+0:04.0 The agent reports a cause" in text
    assert "+0:26.0 The agent says that it is done: The port is right again." in text
    assert "cause reported" in text
    assert "said to be done" in text


def test_an_agent_that_says_nothing_of_what_it_did_is_done_all_the_same() -> None:
    text = Page(page_of(Trial(), resolution(summary=""))).text
    assert "The agent says that it is done" in text
    assert "is done:" not in text


def test_a_record_without_tools_has_no_word_on_them() -> None:
    text = Page(page_of(Trial())).text
    assert "tool calls" not in text
    assert "Tools that it used" not in text


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "splendid"},
        {"n": "1"},
        {"answer": None},
        {"t": None},
    ],
)
def test_a_call_that_no_harness_wrote_damages_the_record(change: dict[str, object]) -> None:
    with pytest.raises(DamagedRecord, match=r"agent/calls.jsonl: line 1: "):
        shown(a_call(33, "kubectl") | change)


def test_a_line_that_is_cut_off_is_named() -> None:
    line = json.dumps({"n": 1} | a_call(33, "kubectl")).encode()
    with pytest.raises(CallsError, match="line 2"):
        parse(line + b"\n" + line[:-5])


def test_calls_are_in_the_order_of_their_beginnings() -> None:
    lines = [json.dumps({"n": n} | a_call(33, "kubectl")).encode() for n in (2, 1)]
    assert [call.n for call in parse(b"\n".join(lines))] == [1, 2]


def test_a_resolution_that_no_harness_wrote_damages_the_record() -> None:
    with pytest.raises(DamagedRecord, match=r"agent/resolution.json: "):
        page_of(Trial(), {"agent/resolution.json": b"{}"})


def test_sizes_are_for_people() -> None:
    assert [size(each) for each in (0, 999, 1500, 2_500_000)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "2.5 MB",
    ]


def test_there_is_a_word_for_every_outcome_of_a_call() -> None:
    assert set(words.CALLS) == set(OUTCOMES)
