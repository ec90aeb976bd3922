"""An HTTP server in a thread of the harness, in whatever network that thread enters."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from faultyard.clusters.errors import ClusterError, NotReady
from faultyard.clusters.waiting import wait_for

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

BACKLOG = 64
START_S = 15
CLOSE_S = 1
"""How long open connections may go on after the end, in seconds."""
STOP_S = 30

Enter = Callable[[], AbstractContextManager[None]]

# An application that is not configured to log would print these on the user's terminal.
for _name in ("mcp", "uvicorn"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ServingThread:
    """A thread that serves an application; use it as a context, once.

    Args:
        what: it is, for messages.
        listen: makes the socket, inside `enter`.
        application: makes the application, inside `enter`; left when the server has ended.
        enter: the network namespace in which the thread and those that it starts live.
    """

    def __init__(
        self,
        what: str,
        listen: Callable[[], socket.socket],
        application: Callable[[], AbstractContextManager[ASGIApp]],
        enter: Enter = contextlib.nullcontext,
    ) -> None:
        self._what = what
        self._listen = listen
        self._application = application
        self._enter = enter
        self._server: uvicorn.Server | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=what, daemon=True)

    def __enter__(self) -> Self:
        """Start it and wait until it takes connections.

        Raises:
            ClusterError: it does not start.
        """
        self._thread.start()

        def look() -> tuple[bool | None, str]:
            if self._failure is not None or not self._thread.is_alive():
                raise ClusterError(f"{self._what} did not start: {self._failure}")
            up = self._server is not None and self._server.started
            return (True if up else None), "not listening yet"

        wait_for(f"{self._what} to listen", look, timeout_s=START_S, every_s=0.01)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """End it, with the requests that go on; their programs must have been ended before.

        Raises:
            NotReady: a request does not end.
        """
        if self._server is not None:
            self._server.should_exit = True
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            raise NotReady(f"{self._what} to end", STOP_S, "a request that still runs")

    def _run(self) -> None:
        # It takes a second to load, which nobody should wait for who runs no trial.
        import uvicorn  # noqa: PLC0415

        try:
            # Threads live in the network of the one that starts them: so do those of requests.
            with self._enter(), self._listen() as listener, self._application() as app:
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


def listening(address: tuple[str, int]) -> socket.socket:
    """A socket that listens at an address; port 0 chooses one."""
    # Asyncio sends at once (TCP_NODELAY) only on sockets that name their protocol; an answer
    # in two parts would take 40 ms longer otherwise.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
