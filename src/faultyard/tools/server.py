"""The server's thread: in the trial's process, with its sockets in the cell's network.

No process of the agent's can reach it otherwise than by its port: it has its own memory and files
in the harness, and the agent's machine lets out nothing but that port, the API server's and SSH.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

from faultyard.clusters.errors import ClusterError, NotReady
from faultyard.clusters.waiting import wait_for
from faultyard.tools.desk import Desk

if TYPE_CHECKING:
    import uvicorn

PATH = "/mcp"
BACKLOG = 64
WORKERS = 8
"""How many calls run at once; others wait."""
START_S = 15
CLOSE_S = 1
"""How long open connections may go on after the turn, in seconds."""
STOP_S = 30

Enter = Callable[[], AbstractContextManager[None]]

# An application that is not configured to log would print these on the user's terminal.
for _name in ("mcp", "uvicorn"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ToolServer:
    """The MCP server of one turn; use it as a context.

    Args:
        desk: takes the calls.
        token: that clients must send.
        instructions: for the agent, sent when it connects.
        address: to listen at; port 0 chooses one.
        enter: the network namespace in which the server's thread and the threads of its calls
            live, as a context of the thread that enters it.
    """

    def __init__(
        self,
        desk: Desk,
        token: str,
        instructions: str,
        address: tuple[str, int],
        enter: Enter = contextlib.nullcontext,
    ) -> None:
        self._desk = desk
        self._token = token
        self._instructions = instructions
        self._address = address
        self._enter = enter
        self._server: uvicorn.Server | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="tools", daemon=True)

    @property
    def url(self) -> str:
        """Where clients connect to."""
        host, port = self._address
        return f"http://{host}:{port}{PATH}"

    def __enter__(self) -> ToolServer:
        self._thread.start()

        def look() -> tuple[bool | None, str]:
            if self._failure is not None or not self._thread.is_alive():
                raise ClusterError(f"the tools' server did not start: {self._failure}")
            up = self._server is not None and self._server.started
            return (True if up else None), "not listening yet"

        wait_for("the tools' server to listen", look, timeout_s=START_S, every_s=0.01)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """End it, with the calls that go on; their programs must have been ended before.

        Raises:
            NotReady: a call does not end.
        """
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            raise NotReady("the tools' server to end", STOP_S, "a call that still runs")

    def _run(self) -> None:
        # They take a second to load, which nobody should wait for who runs no trial.
        import uvicorn  # noqa: PLC0415

        from faultyard.tools import protocol  # noqa: PLC0415

        try:
            # Threads live in the network of the one that starts them: so do those of the calls.
            with self._enter(), self._listening() as listener, ThreadPoolExecutor(WORKERS) as pool:
                app = protocol.application(PATH, self._desk, self._token, self._instructions, pool)
                config = uvicorn.Config(
                    app,
                    log_config=None,
                    access_log=False,
                    ws="none",
                    timeout_graceful_shutdown=CLOSE_S,
                )
                self._server = uvicorn.Server(config)
                asyncio.run(self._server.serve(sockets=[listener]))
        except (OSError, ClusterError) as error:
            self._failure = error

    def _listening(self) -> socket.socket:
        # Asyncio sends at once (TCP_NODELAY) only on sockets that name their protocol; an answer
        # in two parts would take 40 ms longer otherwise.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(self._address)
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
        self._address = listener.getsockname()
        return listener
