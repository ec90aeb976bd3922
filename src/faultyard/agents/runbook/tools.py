"""The on-call tools, called one after the other by the official MCP client."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

T = TypeVar("T")
TIMEOUT_S = 300
"""Longer than any tool takes."""
START_S = 60


@dataclass(frozen=True)
class Answer:
    """What a tool said."""

    text: str
    failed: bool = False

    def rows(self) -> list[dict[str, Any]]:
        """Its lines that are JSON objects; notes between them are left out."""
        found = []
        for line in self.text.splitlines():
            if line.startswith("{"):
                try:
                    found.append(json.loads(line))
                except ValueError:  # a line that was cut in its middle
                    continue
        return [row for row in found if isinstance(row, dict)]


class Tools(Protocol):
    """What an investigation works with."""

    @property
    def names(self) -> frozenset[str]:
        """The tools that there are."""
        ...

    @property
    def alert(self) -> str:
        """What the engineer was paged with."""
        ...

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        """Call a tool; one that is not there gives an answer that failed."""
        ...


class Connection:
    """A connection to the tools' server; use it as a context.

    Args:
        url: where it is.
        token: what it asks for.
    """

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._opened: Future[None] = Future()
        self._done = asyncio.Event()
        self._session: Future[None] | None = None
        self.names: frozenset[str] = frozenset()
        self.alert = ""

    def __enter__(self) -> Connection:
        self._thread.start()
        self._session = asyncio.run_coroutine_threadsafe(self._converse(), self._loop)
        self._session.add_done_callback(self._fail)
        self._opened.result(START_S)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        if self._session is not None:
            self._session.exception(TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        """Call a tool."""
        if tool not in self.names:
            return Answer(f"there is no tool {tool}", failed=True)
        result = self._wait(self._client.call_tool(tool, arguments))
        text = "".join(getattr(part, "text", "") for part in result.content)
        return Answer(text, bool(result.is_error))

    async def _converse(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        # Loading all certificate authorities takes longer than a call, and http needs none.
        options: dict[str, Any] = {"timeout": TIMEOUT_S, "trust_env": False, "verify": False}
        async with httpx2.AsyncClient(headers=headers, **options) as http:
            transport = streamable_http_client(self._url, http_client=http)
            async with Client(transport) as client:
                self._client = client
                self.names = frozenset(tool.name for tool in (await client.list_tools()).tools)
                self.alert = client.instructions or ""
                self._opened.set_result(None)
                await self._done.wait()

    def _fail(self, session: Future[None]) -> None:
        error = session.exception()
        while isinstance(error, BaseExceptionGroup):  # as task groups raise it
            error = error.exceptions[0]
        if error is not None and not self._opened.done():
            self._opened.set_exception(error)

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT_S)
