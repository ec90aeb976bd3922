"""The turn's rules: one diagnosis, one resolution, so many calls."""

from __future__ import annotations

import json

import pytest

from faultyard.clusters.errors import ClusterError
from faultyard.model.errors import ModelError
from faultyard.tools.errors import Malformed
from faultyard.tools.tool import Answer, Form, Tool
from unit.tools.conftest import Offer
from unit.tools.fakes import FreeForm


def test_a_cause_is_reported_once(offer: Offer) -> None:
    offered = offer()
    first = {"cause": "the Service's port", "evidence": ["endpoints"]}
    assert offered.call("report_cause", first)[0] is False
    failed, said = offered.call("report_cause", {"cause": "no, the node"})
    assert failed
    assert "a cause was reported at" in said
    assert offered.reports.diagnosis == first
    assert [line["outcome"] for line in offered.logged()] == ["ok", "declined"]


def test_a_report_that_does_not_fit_is_not_the_one(offer: Offer) -> None:
    offered = offer()
    assert offered.call("report_cause", {"cause": ""})[0]
    assert offered.call("report_cause", {"cause": "the port"})[0] is False


def test_resolving_ends_the_turn_and_nothing_is_taken_after(offer: Offer) -> None:
    offered = offer()
    failed, said = offered.call("resolve", {"summary": "done"})
    assert not failed
    assert "your turn is over" in said
    assert "No cause was reported." in said
    assert offered.end.wait(0)
    assert offered.end.reason == "resolve"
    for name in ("resolve", "kubectl", "report_cause"):
        failed, said = offered.call(name, {"args": "get pods"})
        assert failed
        assert said == "Your turn is over; no further call is taken."
    assert offered.runner.ran == []
    assert offered.reports.diagnosis is None
    assert [line["outcome"] for line in offered.logged()] == ["ok", "over", "over", "over"]


def test_the_call_after_the_last_says_so_and_ends_the_turn(offer: Offer) -> None:
    offered = offer(max_calls=3)
    for _ in range(2):
        assert offered.call("kubectl", {"args": "get pods"})[0] is False
    assert offered.call("no_tool")[0]  # it counts
    assert offered.end.reason is None
    failed, said = offered.call("kubectl", {"args": "get pods"})
    assert failed
    assert said == "The limit of 3 calls is reached and your turn is over."
    assert offered.end.reason == "calls"
    assert offered.call("resolve")[1] == said
    assert offered.reports.resolved_at is None
    assert len(offered.runner.ran) == 2


def test_there_are_two_hundred_calls(offer: Offer) -> None:
    offered = offer()
    taken = [offered.desk.call("kubectl", {"args": "get pods"}).is_error for _ in range(201)]
    assert taken == [False] * 200 + [True]
    assert len(offered.logged()) == 201


def test_only_the_first_reason_counts(offer: Offer) -> None:
    offered = offer()
    offered.end.end("calls")
    offered.end.end("exit")
    assert offered.end.reason == "calls"


def test_what_was_reported_is_kept_with_its_times(offer: Offer) -> None:
    offered = offer()
    offered.call("report_cause", {"cause": "the port"})
    offered.call("resolve")
    offered.reports.write(offered.folder)
    diagnosis = json.loads((offered.folder / "diagnosis.json").read_text())
    resolution = json.loads((offered.folder / "resolution.json").read_text())
    assert diagnosis.pop("submitted_at") <= resolution.pop("resolved_at")
    assert diagnosis == {"schema": 1, "diagnosis": {"cause": "the port"}}
    assert resolution == {"schema": 1, "summary": ""}


def test_half_a_character_is_not_reported(offer: Offer) -> None:
    offered = offer()
    assert (
        "half a character"
        in offered.desk.call("report_cause", {"cause": "x", "seen": "\ud800"}).text
    )
    assert offered.call("report_cause", {"cause": "the port"})[0] is False


def test_what_was_not_reported_is_not_written(offer: Offer) -> None:
    offered = offer()
    offered.reports.write(offered.folder)
    assert [path.name for path in offered.folder.iterdir()] == ["calls.jsonl"]


def test_a_form_of_the_models_own_is_told_in_its_own_words() -> None:
    def read(_data: object) -> FreeForm:
        raise ModelError("the mechanism is none of the list")

    tool = Tool("report_cause", "", Form({}, read), lambda _given: Answer(""))
    with pytest.raises(Malformed, match="report_cause: the mechanism is none of the list"):
        tool.parse({})


def test_a_gap_in_the_log_is_an_error_of_the_harness(offer: Offer) -> None:
    offered = offer()
    broken = offered.log._file
    offered.log._file = open("/dev/full", "w")  # noqa: SIM115, PTH123
    broken.close()
    assert offered.call("kubectl", {"args": "get pods"})[0] is False
    with pytest.raises((ClusterError, OSError)):
        offered.log.close()
    offered.log._failure = ""
