"""Names of pods and containers, from snapshots and the audit log."""

from __future__ import annotations

import json
from typing import Any

from faultyard.evidence import pods


def a_pod(uid: str, name: str, **status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"uid": uid, "name": name, "namespace": "hotel"},
        "spec": {},
        "status": status,
    }


def an_event(verb: str, pod: dict[str, Any], user: str = "oncall", **reference: str) -> bytes:
    event = {
        "verb": verb,
        "user": {"username": user},
        "objectRef": {"resource": "pods", **reference},
        "responseObject": pod,
    }
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def test_pods_of_snapshots_have_names_addresses_and_containers() -> None:
    status = {
        "podIP": "10.240.1.9",
        "containerStatuses": [{"name": "app", "containerID": "containerd://abc"}],
        "ephemeralContainerStatuses": [{"name": "look", "containerID": "containerd://def"}],
    }
    snapshot = json.dumps({"objects": [a_pod("u1", "rate-1", **status), {"kind": "Node"}]})
    known = pods.known([snapshot.encode()], b"")
    assert known.names == {"u1": "hotel/rate-1"}
    assert known.containers == {"abc": "app", "def": "look"}
    assert known.owners == {"abc": "u1", "def": "u1"}
    assert known.addresses == {"10.240.1.9": "u1"}
    assert known.added == {"def"}


def test_a_pod_that_came_and_went_is_in_the_audit_log() -> None:
    status = {"containerStatuses": [{"name": "app", "containerID": "containerd://abc"}]}
    log = an_event("create", a_pod("u2", "mine")) + an_event(
        "patch", a_pod("u2", "mine", **status), "system:node:worker-1", subresource="status"
    )
    known = pods.known([], log)
    assert known.names == {"u2": "hotel/mine"}
    assert known.containers == {"abc": "app"}
    assert known.made_by == {"u2": "oncall"}


def test_what_is_done_to_a_pod_does_not_make_it() -> None:
    log = an_event("create", a_pod("u2", "mine"), subresource="eviction")
    assert pods.known([], log).made_by == {}


def test_bodies_of_any_shape_are_passed_over() -> None:
    for body in (None, [], {"kind": "Pod"}, {"kind": "Pod", "metadata": 3}):
        assert pods.known([], an_event("create", body)).names == {}  # type: ignore[arg-type]


def test_a_body_that_is_nested_without_end_takes_no_pod_away() -> None:
    deep = b'{"verb":"patch","user":{"username":"oncall"},"objectRef":{"resource":"pods"},'
    deep += b'"requestObject":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}\n"
    long = deep.replace(b'{"a":' * 5000, b"9" * 5000).replace(b"1" + b"}" * 5000, b"")
    known = pods.known([], deep + long + an_event("create", a_pod("u2", "mine")))
    assert known.names == {"u2": "hotel/mine"}
    assert known.made_by == {"u2": "oncall"}
