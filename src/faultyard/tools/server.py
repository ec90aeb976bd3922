"""The server's thread: in the trial's process, with its sockets in the cell's network.

No process of the agent's can reach it otherwise than by its port: it has its own memory and files
in the harness, and the agent's machine lets out nothing but that port, the API server's and SSH.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from faultyard.tools import serving
from faultyard.tools.desk import Desk
from faultyard.tools.serving import Enter, ServingThread

if TYPE_CHECKING:
    from starlette.types import ASGIApp

PATH = "/mcp"
WORKERS = 8
"""How many calls run at once; others wait."""


class ToolServer:
    """The MCP server of one turn; it serves within the context of its `thread`.

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
        self.thread = ServingThread("the tools' server", self._listen, self._application, enter)

    @property
    def url(self) -> str:
        """Where clients connect to."""
        host, port = self._address
        return f"http://{host}:{port}{PATH}"

    @contextlib.contextmanager
    def _application(self) -> Iterator[ASGIApp]:
        # It takes a second to load, which nobody should wait for who runs no trial.
        from faultyard.tools import protocol  # noqa: PLC0415

        with ThreadPoolExecutor(WORKERS) as pool:
            yield protocol.application(PATH, self._desk, self._token, self._instructions, pool)

    def _listen(self) -> socket.socket:
        listener = serving.listening(self._address)
        self._address = listener.getsockname()
        return listener
