"""What a recorder's lines become: whole ones alone, with names, and what was lost on the way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from faultyard.evidence.pods import Pods
from faultyard.evidence.processes import _forward, _named, _Told
from faultyard.model.forwards import Forward
from faultyard.model.processes import Process

LINES: list[dict[str, Any]] = [
    {"ready": True},
    {"lost": {"from": 1.0, "until": 2.0, "events": 7}},
    {"taken": {"from": 3.0, "until": 4.0, "bytes": 64}},
    {"end": True},
]


def encoded(*lines: dict[str, Any]) -> list[bytes]:
    return [json.dumps(line).encode() + b"\n" for line in lines]


def test_losses_takings_and_the_end_are_taken_from_the_lines_on_the_way() -> None:
    told = _Told()
    assert list(told.whole(encoded(*LINES))) == LINES
    assert [loss.events for loss in told.lost] == [7]
    assert [taking.bytes for taking in told.taken] == [64]
    assert told.ended


def test_a_recorder_that_was_killed_while_it_wrote_has_not_ended() -> None:
    told = _Told()
    *whole, last = encoded(*LINES)
    assert list(told.whole([*whole, last[:-3]])) == LINES[:-1]
    assert not told.ended


def a_process(**parts: Any) -> Process:
    given: dict[str, Any] = {
        "line": 1, "t": 1.0, "where": "pod", "node": "worker-1", "pod": "", "container": "",
        "session": "service", "sid": 0, "pid": 7, "ppid": 1, "uid": 0, "euid": 0,
        "exe": "/bin/id", "argv": ("id",), "cut": False, "container_id": "c1",
    }  # fmt: skip
    return Process(**(given | parts))


@pytest.fixture
def pods() -> Pods:
    known = Pods()
    status = {
        "podIP": "10.240.1.5",
        "containerStatuses": [{"containerID": "x://c1", "name": "web"}],
    }
    more = {"ephemeralContainerStatuses": [{"containerID": "x://c2", "name": "look"}]}
    metadata = {"uid": "u1", "namespace": "hotel", "name": "rate-1"}
    known.learn({"metadata": metadata, "status": status | more})
    return known


def test_a_process_in_a_container_has_the_names_of_container_and_pod(pods: Pods) -> None:
    named = _named(a_process(), pods, "oncall")
    assert (named.pod, named.container, named.pod_uid) == ("hotel/rate-1", "web", "u1")
    assert named.session == "service"
    unknown = _named(a_process(container_id="c9"), pods, "oncall")
    assert (unknown.pod, unknown.container) == ("", "")


def test_what_runs_in_an_added_container_or_in_a_pod_of_the_agents_is_its_debugging(
    pods: Pods,
) -> None:
    added = a_process(container_id="c2")
    assert _named(added, pods, "oncall").session == "debug"
    assert _named(a_process(container_id="c2", session="exec"), pods, "oncall").session == "exec"
    pods.made_by["u1"] = "oncall"
    assert _named(a_process(), pods, "oncall").session == "debug"
    assert _named(a_process(), pods, "somebody").session == "service"


def test_a_connection_to_an_address_is_one_to_the_pod_that_has_it(pods: Pods) -> None:
    there = Forward(1, 1.0, None, "ssh", "worker-1", "", "10.240.1.5", 80, 1, 2)
    assert _forward(there, pods).pod == "hotel/rate-1"
    elsewhere = replace(there, address="10.240.1.6")
    assert _forward(elsewhere, pods).pod == ""
