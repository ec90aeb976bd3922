"""MCP as the agent speaks it: the official SDK's server around a `Desk`."""

from __future__ import annotations

import asyncio
import hmac
import json
from concurrent.futures import Executor
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp, Receive, Scope, Send

from faultyard.tools.desk import Desk
from faultyard.tools.tool import Answer

NAME = "meridian-oncall"
"""What the agent is told: a company's tools, not an exercise."""
MAX_BODY_BYTES = 2**20
CALL = "tools/call"

Context = ServerRequestContext[Any, Any]


def application(path: str, desk: Desk, token: str, instructions: str, threads: Executor) -> ASGIApp:
    """The ASGI application.

    Args:
        path: where it answers.
        desk: takes the calls.
        token: the bearer token that every request must carry.
        instructions: for the agent, sent when it connects.
        threads: run the calls.
    """
    server = Server(
        NAME,
        version="1",
        title="On-call tools of Meridian",
        instructions=instructions,
        on_list_tools=_lister(desk),
        on_call_tool=_caller(desk, threads),
    )
    server.middleware.append(_shape_guard(desk, threads))
    # Without sessions a script can call a tool by a single POST; nothing here needs one.
    app = server.streamable_http_app(
        streamable_http_path=path,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        host="",
    )
    return _guarded(app, token)


def _lister(desk: Desk) -> Any:
    listed = [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=dict(tool.form.schema),
            annotations=types.ToolAnnotations(read_only_hint=tool.reads),
        )
        for tool in desk.tools.values()
    ]

    async def list_tools(_context: Context, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    return list_tools


def _caller(desk: Desk, threads: Executor) -> Any:
    async def call_tool(
        _context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        return await _call(desk, threads, params.name, params.arguments)

    return call_tool


def _shape_guard(desk: Desk, threads: Executor) -> Any:
    """Calls whose envelope does not fit are calls too: counted, logged and answered in words."""

    async def guard(context: Context, call_next: CallNext) -> HandlerResult:
        params = dict(context.params or {})
        name, arguments = params.get("name"), params.get("arguments")
        fits = isinstance(name, str) and (arguments is None or isinstance(arguments, dict))
        if context.method != CALL or fits:
            return await call_next(context)
        return await _call(desk, threads, name, arguments)

    return guard


async def _call(
    desk: Desk, threads: Executor, name: object, arguments: object
) -> types.CallToolResult:
    loop = asyncio.get_running_loop()
    answer: Answer = await loop.run_in_executor(threads, desk.call, name, arguments)
    content = [types.TextContent(type="text", text=answer.text)]
    return types.CallToolResult(content=list(content), is_error=answer.is_error)


def _guarded(app: ASGIApp, token: str) -> ASGIApp:
    """Refuse every request without the token."""
    expected = f"Bearer {token}".encode()
    refusal = {
        "error": "unauthorized",
        "message": "send the header Authorization: Bearer $MCP_TOKEN",
    }
    body = json.dumps(refusal).encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            sent = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(sent, expected):
                headers = [
                    (b"content-type", b"application/json"),
                    (b"www-authenticate", b"Bearer"),
                    (b"content-length", str(len(body)).encode()),
                ]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": body})
                return
        await app(scope, receive, send)

    return guarded
