"""Malformed calls: each is answered in words that say what is wrong, and counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unit.tools.conftest import Offer
from unit.tools.fakes import post
from unit.tools.test_mcp import JSON_RPC

CALLS: list[tuple[str, Any, str]] = [
    ("kubectl", {}, "args: Field required"),
    ("kubectl", {"args": ""}, "args is empty"),
    ("kubectl", {"args": []}, "args is empty"),
    ("kubectl", {"args": ["kubectl"]}, "args is empty"),
    ("kubectl", {"args": 7}, "Input should be a valid string"),
    ("kubectl", {"args": ["get", None]}, "args.list"),
    ("kubectl", {"args": "get 'pods"}, "No closing quotation"),
    ("kubectl", {"args": "get pods | grep web"}, "no shell here that understands `|`"),
    ("kubectl", {"args": "get pods > /tmp/x"}, "no shell here that understands `>`"),
    ("kubectl", {"args": "get\0pods"}, "NUL character"),
    ("kubectl", {"args": "get pods", "timeout_s": 100_000}, "less than or equal to 240"),
    ("kubectl", {"args": "get pods", "timeout_s": "soon"}, "valid integer"),
    ("kubectl", {"args": "get pods", "kubeconfig": "/etc/x"}, "kubeconfig: Extra inputs"),
    ("kubectl", {"args": "x" * 200_000}, "at most 100000 are taken"),
    ("kubectl", {"args": ["x" * 99_000] * 6}, "more than 500000 bytes"),
    ("kubectl", ["get", "pods"], "valid dictionary"),
    ("kubectl", "get pods", "valid dictionary"),
    ("node_exec", {"node": "worker-1"}, "command: Field required"),
    ("node_exec", {"node": "worker-9", "command": "id"}, "there are: worker-1, worker-2"),
    ("node_exec", {"node": "-oProxyCommand=id", "command": "id"}, "there are: worker-1, worker-2"),
    ("node_exec", {"node": "worker-1", "command": "  "}, "command is empty"),
    ("events", {"namespace": "../secrets"}, "String should match pattern"),
    ("events", {"kind": "Pod,x=y"}, "String should match pattern"),
    ("events", {"type": "Error"}, "Input should be 'Normal' or 'Warning'"),
    ("events", {"since": "yesterday"}, "is no time: write now, -15m"),
    ("change_history", {"limit": 0}, "greater than or equal to 1"),
    ("report_cause", {}, "cause: Field required"),
    ("resolve", {"summary": ["done"]}, "valid string"),
    ("restart_everything", {}, "there is no tool 'restart_everything'; there are: kubectl"),
    ("", {}, "there is no tool ''"),
    (None, {}, "there is no tool None"),
    ({"name": "kubectl"}, {}, "there is no tool {'name'"),
]


def send(url: str, name: Any, arguments: Any) -> dict[str, Any]:
    """A call as a script makes it: the official client would not send most of these."""
    params = {"name": name, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = post(url, json=body, headers=JSON_RPC)
    assert answer.status_code == 200, answer.text
    data = next(line for line in answer.text.splitlines() if line.startswith("data: {"))
    loaded: dict[str, Any] = json.loads(data.removeprefix("data: "))
    return loaded


def test_there_are_more_than_twenty() -> None:
    assert len(CALLS) > 20


def test_each_says_what_is_wrong_and_none_runs_anything(offer: Offer) -> None:
    offered = offer()
    for name, arguments, wanted in CALLS:
        result = send(offered.server.url, name, arguments)["result"]
        said = result["content"][0]["text"]
        assert result["isError"], (name, arguments)
        assert said.startswith("Not understood: "), said
        assert wanted in said, f"{wanted!r} is not in {said!r}"
    assert offered.runner.ran == []
    assert [line["outcome"] for line in offered.logged()] == ["malformed"] * len(CALLS)
    assert offered.reports.diagnosis is None
    assert offered.end.reason is None


def test_half_a_character_is_refused(offer: Offer) -> None:
    # Only newer clients' requests get so far; older ones' are refused as no JSON.
    answer = offer().desk.call("kubectl", {"args": ["get", "\ud800"]})
    assert answer.is_error
    assert "no Unicode text" in answer.text


@pytest.mark.parametrize("body", [b"{", b"[]", b"7", b"[" * 100_000, b'{"jsonrpc": "2.0"}'])
def test_what_is_no_request_at_all_is_refused(offer: Offer, body: bytes) -> None:
    offered = offer()
    headers = {**JSON_RPC, "Content-Type": "application/json"}
    answer = post(offered.server.url, content=body, headers=headers)
    assert 400 <= answer.status_code < 500
    assert offered.call("kubectl", {"args": "version"})[0] is False


def test_a_request_that_is_too_long_is_refused(offer: Offer) -> None:
    body = b'{"x": "' + b"x" * 2**21 + b'"}'
    answer = post(offer().server.url, content=body, headers=JSON_RPC)
    assert answer.status_code == 413
