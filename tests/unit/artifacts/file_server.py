"""A server of files on this machine, with the ways in which servers fail."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class FileServer:
    """What it holds, and what it was asked for."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    cut_off: dict[str, int] = field(default_factory=dict)
    """Path -> how many times its body still ends halfway."""
    silent: set[str] = field(default_factory=set)
    """Paths whose requests are taken and never answered."""
    slow: set[str] = field(default_factory=set)
    """Paths whose bodies come a byte at a time."""
    broken: set[str] = field(default_factory=set)
    """Paths that answer 503."""
    asked: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        """The address of a file."""
        return self.address + path


@contextmanager
def serving() -> Iterator[FileServer]:
    """A server that runs as long as this is open."""
    state = FileServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield state
    finally:
        state.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def mute() -> Iterator[str]:
    """The address of a server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def refusing() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def _handler(state: FileServer) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (Handler,), {"state": state})


class Handler(BaseHTTPRequestHandler):
    """Answers as the server's state says."""

    state: FileServer

    def do_HEAD(self) -> None:
        self.state.asked.append(f"HEAD {self.path}")
        self.send_response(200)
        self.end_headers()

    def do_GET(self) -> None:
        self.state.asked.append(f"GET {self.path}")
        if self.path in self.state.silent:
            self.state.ended.wait()
        elif self.path in self.state.broken:
            self.send_error(503)
        elif self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/moved"))
            self.end_headers()
        elif self.path not in self.state.files:
            self.send_error(404)
        else:
            self.send(self.state.files[self.path])

    def send(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.state.cut_off.get(self.path, 0) > 0:
            self.state.cut_off[self.path] -= 1
            self.wfile.write(content[: len(content) // 2])
        elif self.path in self.state.slow:
            self.trickle(content)
        else:
            self.wfile.write(content)

    def trickle(self, content: bytes) -> None:
        try:
            for byte in content:
                self.wfile.write(bytes([byte]))
                time.sleep(0.05)
        except ConnectionError:
            pass  # the other side has had enough, as it should

    def log_message(self, *_: object) -> None:
        """Say nothing."""
