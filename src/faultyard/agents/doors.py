"""Doors to the cell's services for a person: 127.0.0.1 on the host, one port for each service.

A door demands the trial's token and lets through what asks, nothing that shows or changes how a
service is run. Its own connections begin inside the cell's network.
"""

from __future__ import annotations

import contextlib
import hmac
import re
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from faultyard.clusters.embedded import layout
from faultyard.tools import serving
from faultyard.tools.serving import Enter, ServingThread

if TYPE_CHECKING:
    import httpx
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

HOST = "127.0.0.1"
TIMEOUT_S = 300
CONNECT_S = 2
HOP_BY_HOP = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding "
    "upgrade host content-length".split()
)
OURS = frozenset(("authorization", "cookie"))
"""What is sent to the door, and is nothing to the service behind it."""
METHODS = ["GET", "HEAD", "POST", "DELETE"]


@dataclass(frozen=True)
class Service:
    """A service of the cell."""

    name: str
    address: str
    """Host and port in the cell's network."""
    start: str
    """The path at which a person begins."""
    allowed: re.Pattern[str]
    """Paths that ask."""
    token_behind: bool = False
    """The service demands the token itself, and no browser uses it."""


SERVICES = (
    Service("MCP", f"{layout.GATEWAY}:{layout.TOOLS_PORT}", "/mcp", re.compile(r"/mcp"), True),
    Service(
        "Prometheus",
        layout.METRICS,
        # Its pages are in another package of Debian's, under a path of the host's.
        "/api/v1/alerts",
        re.compile(
            r"/|/(classic/)?graph|/query|/(classic/)?(static|assets)/.+|/favicon\.(ico|svg)"
            r"|/manifest\.json|/api/v1/(query|query_range|query_exemplars|format_query|parse_query"
            r"|series|labels|label/[^/]+/values|metadata|alerts)"
        ),
    ),
    Service(
        "Jaeger",
        layout.TRACES,
        # A build from its module has a placeholder for pages.
        "/api/services",
        re.compile(
            r"/|/(search|dependencies|monitor)|/trace/[^/]+|/static/.+|/favicon\.ico"
            r"|/api/(services|services/[^/]+/operations|operations|traces|traces/[^/]+"
            r"|dependencies|metrics/[^/]+)|/api/v3/(services|operations|traces|traces/[^/]+)"
        ),
    ),
    Service(
        "VictoriaLogs",
        layout.LOGS,
        "/select/vmui/",
        re.compile(r"/|/select/vmui(/.*)?|/select/logsql/[a-z_]+"),
    ),
)


class Door:
    """One door, which is open within the context of its `thread`.

    Args:
        service: what is behind it.
        token: that everybody has to show: as `Authorization: Bearer …`, or once as `?token=…`,
            which a browser keeps as a cookie.
        enter: the cell's network, as a context of the thread that enters it.
    """

    def __init__(self, service: Service, token: str, enter: Enter) -> None:
        self.service = service
        self._token = token
        # Made here, in the host's network; only what goes out is made in the cell's.
        self._listener = serving.listening((HOST, 0))
        self.port = int(self._listener.getsockname()[1])
        self.thread = ServingThread(
            f"the door to {service.name}", lambda: self._listener, self._application, enter
        )

    @property
    def url(self) -> str:
        """Where a person, or a program, begins."""
        address = f"http://{HOST}:{self.port}{self.service.start}"
        return address if self.service.token_behind else f"{address}?token={self._token}"

    @contextlib.contextmanager
    def _application(self) -> Iterator[ASGIApp]:
        from starlette.applications import Starlette  # noqa: PLC0415
        from starlette.routing import Route  # noqa: PLC0415

        yield Starlette(routes=[Route("/{path:path}", self._answer, methods=METHODS)])

    async def _answer(self, request: Request) -> Response:
        from starlette.responses import PlainTextResponse, RedirectResponse  # noqa: PLC0415

        # A page elsewhere whose name leads to this address must not ride on the cookie.
        if request.headers.get("host") not in {f"{HOST}:{self.port}", f"localhost:{self.port}"}:
            return PlainTextResponse(f"ask for {HOST}:{self.port}\n", 421)
        shown = request.query_params.get("token", "")
        if self._is_token(shown) and not self.service.token_behind:
            rest = [(k, v) for k, v in request.query_params.multi_items() if k != "token"]
            place = request.url.path + (f"?{urlencode(rest)}" if rest else "")
            answer = RedirectResponse(place, 303)
            answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
            return answer
        if not self._shows_token(request):
            return PlainTextResponse("show the trial's token: ?token=… or a Bearer header\n", 401)
        path = request.scope["path"]
        if ".." in path or self.service.allowed.fullmatch(path) is None:
            return PlainTextResponse("only queries are let through here\n", 403)
        return await self._forward(request)

    @property
    def _cookie(self) -> str:
        return f"oncall-{self.port}"

    def _is_token(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode(), self._token.encode())

    def _shows_token(self, request: Request) -> bool:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return self._is_token(bearer) or (
            not self.service.token_behind and self._is_token(request.cookies.get(self._cookie, ""))
        )

    async def _forward(self, request: Request) -> Response:
        import httpx  # noqa: PLC0415
        from starlette.responses import PlainTextResponse, StreamingResponse  # noqa: PLC0415

        left_out = HOP_BY_HOP if self.service.token_behind else HOP_BY_HOP | OURS
        headers = [(k, v) for k, v in request.headers.items() if k not in left_out]
        client = httpx.AsyncClient(trust_env=False, verify=False, timeout=TIMEOUT_S)
        url = httpx.URL(f"http://{self.service.address}").copy_with(raw_path=_target(request))
        body = await request.body()
        try:
            sent = client.build_request(request.method, url, headers=headers, content=body)
            answer = await client.send(sent, stream=True)
        except httpx.HTTPError as error:
            await client.aclose()
            return PlainTextResponse(f"{self.service.name} does not answer: {error}\n", 502)
        kept = [(k, v) for k, v in answer.headers.multi_items() if k not in HOP_BY_HOP]
        streamed = StreamingResponse(_stream(client, answer), answer.status_code)
        streamed.raw_headers = [(k.encode(), v.encode()) for k, v in kept]
        return streamed


class Doors:
    """The doors to all services that there are; use it as a context.

    Args:
        token: that everybody has to show.
        enter: the cell's network, as a context of the thread that enters it.
        services: those that may be there.
    """

    def __init__(self, token: str, enter: Enter, services: Sequence[Service] = SERVICES) -> None:
        self._token = token
        self._enter = enter
        self._services = services
        self._stack = contextlib.ExitStack()
        self.open: list[Door] = []

    def __enter__(self) -> Doors:
        with self._enter():
            there = [service for service in self._services if _listens(service.address)]
        with contextlib.ExitStack() as stack:
            for service in there:
                door = Door(service, self._token, self._enter)
                stack.enter_context(door.thread)
                self.open.append(door)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        """Close all of them."""
        self._stack.close()


def _listens(address: str) -> bool:
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=CONNECT_S):
            return True
    except OSError:
        return False


def _target(request: Request) -> bytes:
    path = request.scope.get("raw_path") or request.scope["path"].encode()
    query = request.scope["query_string"]
    return bytes(path) + (b"?" + query if query else b"")


async def _stream(client: httpx.AsyncClient, answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for block in answer.aiter_raw():
            yield block
    finally:
        await answer.aclose()
        await client.aclose()
