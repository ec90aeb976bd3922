"""What the report tells of nodes, of what passed, and of the turn's protocol."""

from __future__ import annotations

from unit.model.builders import TURN_END, Trial
from unit.model.world import T0
from unit.reports.pages import SCRIPT, page_of

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
    assert "Nothing differs." in page_of(trial)


def test_the_protocol_is_a_table() -> None:
    trial = Trial()
    trial.meta["protocol"] = [{"t": T0 + TURN_END, "what": "turn ends", "detail": SCRIPT}]
    page = page_of(trial)
    assert "The turn's protocol" in page or "The turn&#39;s protocol" in page
    assert "turn ends" in page
    assert SCRIPT not in page
