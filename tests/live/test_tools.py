"""The tools on a running cell, called by the official client from the agent's network."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client

from faultyard.agents.processes import Exit
from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.model.audit import parse
from faultyard.trials import toolbox
from live import kube
from live.mcp_client import need, talk
from live.tool_turns import POD, Opened, open_turn, with_pod

pytestmark = pytest.mark.cost(3)


@pytest.fixture(scope="class")
def turn(
    cell: Cell, artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    with with_pod(cell, artifacts, tmp_path_factory.mktemp("tools")) as opened:
        yield opened


class TestWhatTheyDo:
    def test_kubectl_acts_as_the_agent(self, turn: Opened) -> None:
        failed, said = turn.kubectl("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
        assert (failed, said) == (False, "oncall")

    def test_exec_with_input_reaches_a_pod(self, turn: Opened) -> None:
        failed, said = turn.kubectl(
            "exec", "-i", POD, "--", "sh", stdin="hostname; echo words >/tmp/x; wc -c /tmp/x\n"
        )
        assert (failed, said) == (False, f"{POD}\n6 /tmp/x\n")

    def test_manifests_come_by_standard_input(self, turn: Opened) -> None:
        manifest = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "by-stdin", "namespace": "default"},
            "data": {"a": "b" * 50_000},
        }
        failed, said = turn.kubectl("apply", "-f", "-", stdin=json.dumps(manifest))
        assert (failed, said) == (False, "configmap/by-stdin created\n")

    def test_copies_go_between_a_pod_and_the_agents_home(self, turn: Opened) -> None:
        turn.kubectl("exec", POD, "--", "sh", "-c", "echo precious >/tmp/kept")
        assert turn.kubectl("cp", f"{POD}:/tmp/kept", "kept")[0] is False
        assert turn.shell("cat ~/kept")[1] == "precious\n"
        assert turn.kubectl("cp", "kept", f"{POD}:/tmp/back")[0] is False
        assert turn.kubectl("exec", POD, "--", "cat", "/tmp/back")[1] == "precious\n"

    def test_a_log_that_is_followed_ends_at_its_time(self, turn: Opened) -> None:
        began = time.monotonic()
        failed, said = turn.kubectl(
            "logs", "-f", "-n", "kube-system", "deploy/coredns", timeout_s=3
        )
        assert not failed
        assert "CoreDNS" in said
        assert "[ended after 3 s" in said
        assert time.monotonic() - began < 10

    def test_a_forwarded_port_is_there_for_the_agents_own_program(self, turn: Opened) -> None:
        forward = ["-n", "kube-system", "port-forward", "deploy/coredns", "19153:9153"]
        thread = threading.Thread(target=turn.kubectl, args=forward, kwargs={"timeout_s": 15})
        thread.start()
        url = "http://127.0.0.1:19153/metrics"
        retry = "--retry 20 --retry-delay 1 --retry-connrefused"
        ended, said = turn.shell(f"curl -sS {retry} {url} | grep -c coredns_build_info")
        thread.join()
        assert (ended.code, said.strip().splitlines()[-1] >= "1") == (0, True)

    def test_a_command_on_a_node_runs_as_the_agent_with_sudo(self, turn: Opened) -> None:
        failed, said = turn.call(
            "node_exec", node="worker-2", command="hostname; id -un; sudo id -un; cat", stdin="in\n"
        )
        assert (failed, said) == (False, "worker-2\noncall\nroot\nin\n")

    def test_a_failing_command_on_a_node_tells_its_exit_code(self, turn: Opened) -> None:
        failed, said = turn.call("node_exec", node="worker-1", command="ls /none; exit 3")
        assert failed
        assert said.endswith("[exit code 3]")

    def test_events_are_read(self, turn: Opened) -> None:
        failed, said = turn.call("events", namespace="default", kind="Pod", name=POD)
        assert not failed
        assert "Scheduled" in [json.loads(line)["reason"] for line in said.splitlines()]

    def test_a_change_of_somebodys_is_in_the_history(self, turn: Opened) -> None:
        kube.kubectl(turn.cell, "annotate", "service", "kubernetes", "owner=web", "--overwrite")
        failed, said = turn.call("change_history", namespace="default", since="-5m")
        assert not failed
        found = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        written = [row for row in found if row["object"] == "Service/default/kubernetes"]
        assert "metadata.annotations.owner" in [
            field for row in written for field in row.get("holds", ())
        ]
        failed, said = turn.call("change_history")
        assert not failed
        assert "may not list" not in said
        assert {json.loads(line)["what"] for line in said.splitlines() if line[0] == "{"} >= {
            "created",
            "rollout",
            "event",
        }

    def test_reading_the_history_reads_no_secret(self, turn: Opened) -> None:
        turn.call("change_history")
        events = parse(turn.cell.paths.audit.read_bytes())
        mine = [event for event in events if event.username == "oncall"]
        assert "services" in {event.resource for event in mine}
        assert "secrets" not in {event.resource for event in mine}

    def test_calls_beside_each_other_do_not_end_one_another(self, turn: Opened) -> None:
        async def act(client: Client) -> list[str]:
            said: list[str] = []

            async def one(seconds: int) -> None:
                command = f"sleep {seconds}; echo {seconds}"
                said.append(await need(client, "node_exec", node="worker-1", command=command))

            async with anyio.create_task_group() as group:
                for seconds in (4, 2, 1, 0):
                    group.start_soon(one, seconds)
            return said

        assert sorted(talk(turn.sandbox, act)) == ["0\n", "1\n", "2\n", "4\n"]
        assert cgroups.processes(turn.sandbox.cgroup) == set()

    def test_a_long_answer_is_cut_and_says_so(self, turn: Opened) -> None:
        failed, said = turn.call(
            "node_exec", node="worker-1", command="seq 100000", max_bytes=2_000
        )
        assert not failed
        assert said.startswith("1\n2\n")
        assert said.endswith("99999\n100000\n")
        assert re.search(r"\[\d+ of 588895 bytes, \d+ of 100000 lines, were cut here", said)
        assert turn.logged()[-1]["cut"] is True


class TestWhoReachesThem:
    def test_the_agents_own_programs_do_with_the_token(self, turn: Opened) -> None:
        request = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
        accept = "Accept: application/json, text/event-stream"
        ask = f"curl -sS -w '%{{http_code}}' -H '{accept}' -H 'Content-Type: application/json'"
        data = f"-d '{request}' $MCP_URL"
        _, said = turn.shell(f'{ask} -H "Authorization: Bearer $MCP_TOKEN" {data}')
        assert said.endswith("200")
        assert "node_exec" in said
        _, said = turn.shell(f"{ask} {data}")
        assert said.endswith("401")

    def test_a_script_calls_them_by_name(self, turn: Opened) -> None:
        ended, said = turn.shell('call-tool kubectl \'{"args": "get ns default -o name"}\'')
        assert (ended.code, said) == (0, "namespace/default\n")
        ended, said = turn.shell("report-cause --component Node//worker-1 --mechanism gremlins")
        assert ended.code == 1
        assert "'gremlins' is no mechanism" in said

    def test_the_hosts_own_network_does_not(self, turn: Opened) -> None:
        headers = {"Authorization": f"Bearer {turn.sandbox.variables['MCP_TOKEN']}"}
        try:
            answer = httpx.get(turn.sandbox.variables["MCP_URL"], headers=headers, timeout=3)
        except httpx.TransportError:
            return
        # Something else may answer there, as on a host whose proxy takes every connection.
        assert "Mcp" not in answer.text
        assert answer.headers.get("server") != "uvicorn"

    def test_the_server_is_no_process_that_the_agent_sees(self, turn: Opened) -> None:
        _, said = turn.shell("ps aux | wc -l; ls /proc | grep -c '^[0-9]'")
        assert all(int(number) < 12 for number in said.split())


class TestATurnThatEnds:
    def test_resolving_ends_the_agents_program(
        self, cell: Cell, artifacts: Artifacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(toolbox, "GRACE_S", 1)
        with ExitStack() as stack:
            turn = open_turn(stack, cell, artifacts, tmp_path)
            request = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "resolve", "arguments": {}},
            }
            accept = "Accept: application/json, text/event-stream"
            ended, said = turn.shell(
                f"curl -sS -H '{accept}' -H 'Content-Type: application/json' "
                f"-H \"Authorization: Bearer $MCP_TOKEN\" -d '{json.dumps(request)}' $MCP_URL; "
                "sleep 300",
                limit_s=60,
            )
            assert ended == Exit(None, "stopped")
            assert "your turn is over" in said
            assert turn.tools.end.reason == "resolve"
        assert json.loads((tmp_path / "resolution.json").read_text())["summary"] == ""

    def test_a_call_that_goes_on_ends_with_the_turn(
        self, cell: Cell, artifacts: Artifacts, tmp_path: Path
    ) -> None:
        said: list[tuple[bool, str]] = []
        with ExitStack() as stack:
            turn = open_turn(stack, cell, artifacts, tmp_path)

            def wait() -> None:
                said.append(turn.call("node_exec", node="worker-1", command="sleep 200"))

            thread = threading.Thread(target=wait)
            thread.start()
            while not cgroups.processes(turn.sandbox.cgroup):
                thread.join(0.05)
            turn.tools.__exit__(None, None, None)
            thread.join(20)
            assert not thread.is_alive()
        (line,) = [json.loads(x) for x in (tmp_path / "calls.jsonl").read_text().splitlines()]
        assert line["outcome"] == "declined"
        assert line["answer"] == "Not done: your turn ended meanwhile"
