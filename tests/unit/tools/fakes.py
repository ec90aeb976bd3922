"""What stands for the sandbox and the API server, and a server of tools to call over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel, ConfigDict, Field

from faultyard.clusters.api import ApiError, Resource
from faultyard.tools import catalogue
from faultyard.tools.backends import Backends
from faultyard.tools.call_log import CallLog
from faultyard.tools.desk import Desk
from faultyard.tools.reporting import Reports
from faultyard.tools.running import Finished, Runner
from faultyard.tools.server import ToolServer
from faultyard.tools.tool import Form
from faultyard.tools.turn_end import TurnEnd

TOKEN = "t0ken"


class FreeForm(BaseModel):
    """A diagnosis in no particular form."""

    model_config = ConfigDict(extra="allow")

    cause: str = Field(min_length=1)


T = TypeVar("T")


@dataclass
class FakeRunner:
    """Answers with what `play` says, and remembers what was run."""

    play: Callable[[Sequence[str], bytes], Finished] = lambda _argv, _stdin: Finished(b"", b"", 0)
    ran: list[tuple[list[str], bytes, float]] = field(default_factory=list)

    def run(self, argv: Sequence[str], *, stdin: bytes, limit_s: float) -> Finished:
        self.ran.append((list(argv), stdin, limit_s))
        return self.play(argv, stdin)


@dataclass
class FakeCluster:
    """Lists by path; a number is an error of that status."""

    kinds: list[Resource] = field(default_factory=list)
    objects: Mapping[str, list[dict[str, Any]] | int] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def resources(self) -> list[Resource]:
        return self.kinds

    def list(self, path: str, *, accept: str = "", selector: str = "") -> Iterator[dict[str, Any]]:
        self.asked.append((path, accept, selector))
        found = self.objects.get(path, [])
        if isinstance(found, int):
            raise ApiError(found, "no")
        yield from found


@dataclass
class Offered:
    """Tools that are being served."""

    folder: Path
    runner: FakeRunner | Runner = field(default_factory=FakeRunner)
    cluster: FakeCluster = field(default_factory=FakeCluster)
    backends: Backends = field(default_factory=Backends)
    max_calls: int = 200

    def __post_init__(self) -> None:
        self.end = TurnEnd()
        self.reports = Reports(self.end)
        self.log = CallLog(self.folder / "calls.jsonl")
        around = catalogue.Surroundings(
            self.runner, self.cluster, ["worker-1", "worker-2"], self.backends, Form.of(FreeForm)
        )
        tools = catalogue.tools(around, self.reports)
        self.desk = Desk(tools, self.end, self.log, self.max_calls)
        self.server = ToolServer(self.desk, TOKEN, "The alert.", ("127.0.0.1", 0))

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.path.read_text().splitlines()]

    def call(self, name: str, arguments: dict[str, Any] | None = None) -> tuple[bool, str]:
        """One call by the official client: whether it is an error, and the text."""

        async def act(client: Client) -> tuple[bool, str]:
            return await call(client, name, arguments)

        return self.talk(act)

    def talk(self, act: Callable[[Client], Coroutine[Any, Any, T]], **options: Any) -> T:
        """Let a coroutine talk to the server by the official client."""

        async def run() -> T:
            async with AsyncExitStack() as stack:
                return await act(await connect(stack, self.server.url, TOKEN, **options))

        return asyncio.run(run())


async def connect(stack: AsyncExitStack, url: str, token: str, **options: Any) -> Client:
    # Loading all certificate authorities takes longer than everything else, and http needs none.
    headers = {"Authorization": f"Bearer {token}"}
    http = httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False, verify=False)
    await stack.enter_async_context(http)
    transport = streamable_http_client(url, http_client=http)
    return await stack.enter_async_context(Client(transport, **options))


async def call(client: Client, name: str, arguments: Any = None) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments or {})
    return result.is_error, "".join(part.text for part in result.content)


def post(url: str, **options: Any) -> httpx.Response:
    """A request as a script makes it."""
    with httpx.Client(trust_env=False, verify=False, timeout=30) as client:
        return client.post(url, **options)
