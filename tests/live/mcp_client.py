"""The official MCP client, from the agent's network: what a live test calls tools with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

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
