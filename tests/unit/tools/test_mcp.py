"""The official client against the server, over HTTP."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from mcp import Client

from faultyard.tools.running import Finished
from unit.tools.conftest import Offer
from unit.tools.fakes import TOKEN, FakeRunner, call, post

JSON_RPC = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lists_the_tools(offer: Offer, mode: str) -> None:
    async def act(client: Client) -> Any:
        return await client.list_tools()

    listed = offer().talk(act, mode=mode).tools
    assert [tool.name for tool in listed] == [
        "kubectl",
        "node_exec",
        "events",
        "change_history",
        "report_cause",
        "resolve",
    ]
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed)
    assert [tool.name for tool in listed if tool.annotations.read_only_hint] == [
        "events",
        "change_history",
    ]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_alert_comes_with_the_connection(offer: Offer, mode: str) -> None:
    async def act(client: Client) -> str | None:
        return client.instructions

    assert offer().talk(act, mode=mode) == "The alert."


def test_an_answer_is_what_the_program_printed(offer: Offer) -> None:
    runner = FakeRunner(lambda _argv, _stdin: Finished(b"pod/a\n", b"", 0))
    offered = offer(runner=runner)
    assert offered.call("kubectl", {"args": "get pods -o name"}) == (False, "pod/a\n")
    assert runner.ran == [(["kubectl", "get", "pods", "-o", "name"], b"", 60)]


def test_every_call_is_a_line_of_the_log(offer: Offer) -> None:
    offered = offer(runner=FakeRunner(lambda _argv, _stdin: Finished(b"ok", b"", 0)))
    before = time.time()
    offered.call("kubectl", {"args": ["get", "pods"], "stdin": "x"})
    (line,) = offered.logged()
    assert before <= line.pop("t") <= time.time()
    assert 0 <= line.pop("duration_s") < 5
    assert line == {
        "n": 1,
        "tool": "kubectl",
        "arguments": {"args": ["get", "pods"], "stdin": "x"},
        "outcome": "ok",
        "bytes": 2,
        "cut": False,
        "answer": "ok",
        "failure": "",
    }


@pytest.mark.parametrize("sent", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}])
def test_nothing_is_answered_without_the_token(offer: Offer, sent: dict[str, str]) -> None:
    offered = offer()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": JSON_RPC["Accept"], **sent}
    answer = post(offered.server.url, json=body, headers=headers)
    assert answer.status_code == 401
    assert "Authorization: Bearer $MCP_TOKEN" in answer.json()["message"]
    assert offered.logged() == []


def test_a_script_calls_a_tool_by_a_single_post(offer: Offer) -> None:
    offered = offer(runner=FakeRunner(lambda _argv, _stdin: Finished(b"pod/a\n", b"", 0)))
    params = {"name": "kubectl", "arguments": {"args": "get pods"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = post(offered.server.url, json=body, headers=JSON_RPC)
    data = next(line for line in answer.text.splitlines() if line.startswith("data: {"))
    result = json.loads(data.removeprefix("data: "))["result"]
    assert result["content"][0]["text"] == "pod/a\n"


def test_calls_run_beside_each_other(offer: Offer) -> None:
    met = threading.Barrier(4, timeout=10)

    def play(_argv: object, _stdin: bytes) -> Finished:
        met.wait()
        return Finished(b"met", b"", 0)

    async def act(client: Client) -> list[tuple[bool, str]]:
        import anyio  # noqa: PLC0415

        said: list[tuple[bool, str]] = []

        async def one() -> None:
            said.append(await call(client, "kubectl", {"args": "get pods"}))

        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(one)
        return said

    assert offer(runner=FakeRunner(play)).talk(act) == [(False, "met")] * 4


def test_a_bug_of_ours_is_logged_and_tells_the_agent_no_detail(offer: Offer) -> None:
    def play(_argv: object, _stdin: bytes) -> Finished:
        raise RuntimeError("/var/lib/cells/secret")

    offered = offer(runner=FakeRunner(play))
    failed, said = offered.call("kubectl", {"args": "get pods"})
    assert failed
    assert "not your doing" in said
    assert "cells" not in said
    assert offered.logged()[0]["outcome"] == "failed"
    assert "/var/lib/cells/secret" in offered.logged()[0]["failure"]


def test_its_names_are_those_of_the_company(offer: Offer) -> None:
    async def act(client: Client) -> str:
        tools = await client.list_tools()
        return f"{client.server_info} {tools.model_dump_json()}"

    said = offer().talk(act).lower()
    assert "meridian" in said
    assert not [word for word in ("faultyard", "fault ", "chaos", "bench", "trial") if word in said]
