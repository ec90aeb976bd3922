"""The official MCP client, from the agent's network: what a live test calls tools with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from faultyard.agents.agent import Turn
from faultyard.agents.processes import Exit
from faultyard.agents.sandbox import Sandbox

T = TypeVar("T")


class ToolSaidNo(AssertionError):
    """A call that should have succeeded was answered with an error."""


def talk(sandbox: Sandbox, act: Callable[[Client], Coroutine[Any, Any, T]], **options: Any) -> T:
    """Let a coroutine talk to the tools of a turn."""

    async def run() -> T:
        headers = {"Authorization": f"Bearer {sandbox.variables['MCP_TOKEN']}"}
        async with AsyncExitStack() as stack:
            http = httpx2.AsyncClient(headers=headers, timeout=120, trust_env=False, verify=False)
            await stack.enter_async_context(http)
            transport = streamable_http_client(sandbox.variables["MCP_URL"], http_client=http)
            return await act(await stack.enter_async_context(Client(transport, **options)))

    with sandbox.namespaces.entered():
        return asyncio.run(run())


async def call(client: Client, tool: str, /, **arguments: Any) -> tuple[bool, str]:
    """Whether the answer is an error, and its text."""
    result = await client.call_tool(tool, arguments)
    return result.is_error, "".join(part.text for part in result.content)


async def need(client: Client, tool: str, /, **arguments: Any) -> str:
    """The text of an answer that is no error."""
    failed, said = await call(client, tool, **arguments)
    if failed:
        raise ToolSaidNo(f"{tool} {arguments}: {said}")
    return said


def diagnosis(service: str, observed: object, expected: object) -> dict[str, Any]:
    """What is submitted about a Service's wrong port."""
    cause = {
        "component": f"Service/hotel/{service}",
        "setting": "spec.ports[].targetPort",
        "observed": observed,
        "expected": expected,
        "mechanism": "service_port_mismatch",
    }
    evidence = [f"{service} listens on {expected}, the Service sends to {observed}"]
    return {"causes": [cause], "impact": ["requests_fail"], "evidence": evidence}


@dataclass
class PortFixer:
    """An agent that repairs a Service's port with nothing but MCP tools, and knows which it is."""

    name: str = "port-fixer"
    tools: list[str] = field(default_factory=list)
    """What was listed."""

    def take_turn(self, turn: Turn) -> Exit:
        """Look, report, repair, resolve."""
        for path in (turn.stdout, turn.stderr):
            path.touch()

        async def act(client: Client) -> None:
            self.tools = [tool.name for tool in (await client.list_tools()).tools]
            name = turn.parameters["SERVICE"]
            at = ["-n", "hotel"]
            said = await need(client, "kubectl", args=[*at, "get", f"deploy/{name}", "-o", "json"])
            containers = json.loads(said)["spec"]["template"]["spec"]["containers"]
            ports = next(each["ports"] for each in containers if each["name"] == name)
            listens = next(port["containerPort"] for port in ports if port["name"] == "grpc")
            said = await need(client, "kubectl", args=[*at, "get", f"svc/{name}", "-o", "json"])
            (port,) = [p for p in json.loads(said)["spec"]["ports"] if p["name"] == "grpc"]
            await need(client, "report_cause", **diagnosis(name, port["targetPort"], listens))
            patch = {"spec": {"ports": [{"port": port["port"], "targetPort": listens}]}}
            await need(
                client, "kubectl", args=[*at, "patch", f"svc/{name}", "-p", json.dumps(patch)]
            )
            await need(client, "resolve", summary="The Service leads to its pods again.")

        talk(turn.sandbox, act)
        return Exit(0, "exit")
