"""What the report tells of nodes, of what passed, and of the turn's protocol."""

from __future__ import annotations

import pytest

from faultyard.reports.incident import report
from unit.model.builders import TURN_END, Trial
from unit.model.test_lost_data import an_answer, files
from unit.model.world import T0
from unit.reports.hostility import SCRIPT
from unit.reports.pages import Page, page_of, secret

FRONTEND = "Deployment/hotel/frontend"


def a_node(hosts: str) -> dict[str, object]:
    entry = {"kind": "-", "mode": "0644", "owner": "0:0", "sha256": hosts, "text": hosts}
    return {"etc": {"/etc/hosts": entry}, "routes": [], "errors": []}


def test_what_was_changed_and_changed_back_is_shown_with_who_did_it() -> None:
    trial = Trial()
    trial.watches()
    trial.acts("patch", FRONTEND)
    trial.hears(45, "MODIFIED", FRONTEND, 7, spec={"replicas": 0})
    trial.end.get(FRONTEND)["metadata"]["resourceVersion"] = "8"
    trial.hears(50, "MODIFIED", FRONTEND, 8)
    page = page_of(trial)
    assert "changed and changed back by the agent" in page
    assert "for 5 s." in page


def test_without_a_watch_or_states_of_nodes_nothing_is_said_of_them() -> None:
    page = page_of(Trial())
    assert "For a while" not in page
    assert "On nodes" not in page
    assert "The turn's protocol" not in page


def test_a_changed_file_of_a_node_is_shown_line_by_line() -> None:
    trial = Trial()
    after = a_node(f"127.0.0.1\n{SCRIPT}\n") | {"errors": [{"part": "units", "message": "deaf"}]}
    trial.nodes = {
        "injected": {"worker-1": a_node("127.0.0.1\n")},
        "after": {"worker-1": after},
    }
    page = page_of(trial)
    assert "etc: " in page
    assert SCRIPT not in page
    assert "Not seen: units: deaf" in page


def test_nodes_that_are_as_they_were_are_said_to_be() -> None:
    trial = Trial()
    state = {"worker-1": a_node("127.0.0.1\n")}
    trial.nodes = {"injected": state, "after": state}
    assert "Nothing differs on worker-1." in page_of(trial)


def test_a_fault_on_a_node_is_part_of_the_truth_alone() -> None:
    trial = Trial()
    well, broken = a_node("127.0.0.1\n"), a_node("10.0.0.1 rate\n")
    trial.nodes = {
        "before": {"worker-1": well},
        "injected": {"worker-1": broken},
        "after": {"worker-1": broken},
    }
    page = page_of(trial)
    assert "<ins>10.0.0.1 rate</ins>" in secret(page)
    assert page.count("<ins>10.0.0.1 rate</ins>") == 1


def test_the_protocol_is_a_table() -> None:
    trial = Trial()
    trial.meta["protocol"] = [{"t": T0 + TURN_END, "what": "turn ends", "detail": SCRIPT}]
    page = page_of(trial)
    assert "The turn's protocol" in page or "The turn&#39;s protocol" in page
    assert "turn ends" in page
    assert SCRIPT not in page


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (an_answer(), "none of them is gone or wrong"),
        (an_answer(rooms=1), "1 of them are gone or wrong"),
    ],
)
def test_what_became_of_users_writes_is_told(found: dict[str, object], said: str) -> None:
    text = Page(report(files(Trial(), found), "record", unsealed=True)).text
    assert f"1 writes were acknowledged to users. 1 were looked up at the very end: {said}" in text


def test_an_application_that_does_not_answer_is_told_apart_from_one_that_lost_nothing() -> None:
    found = {"id": "MR-1", "status": 503, "answer": None}
    text = Page(report(files(Trial(), found), "record", unsealed=True)).text
    assert "At the very end the application did not answer for any of them." in text


def test_a_record_in_which_nobody_looked_has_no_word_on_it() -> None:
    assert "What users wrote" not in page_of(Trial())
