"""An API server of a few lines, over TLS: discovery, lists, and watches that a test feeds."""

from __future__ import annotations

import json
import queue
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from faultyard.clusters.embedded import layout, pki

Json = dict[str, Any]
PATHS = {
    "configmaps": "/api/v1/configmaps",
    "events": "/api/v1/events",
    "widgets": "/apis/example.com/v1/widgets",
    "customresourcedefinitions": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
}
KINDS = {
    "configmaps": "ConfigMap",
    "events": "Event",
    "widgets": "Widget",
    "customresourcedefinitions": "CustomResourceDefinition",
}


class PlayedServer:
    """What it serves is in its attributes; what was asked is in `asked`."""

    def __init__(self) -> None:
        self.served = ["configmaps", "events", "customresourcedefinitions"]
        self.version = 100
        self.oldest = 0
        """Watches from a version before it are answered 410."""
        self.lists: dict[str, list[Json]] = {}
        self.feeds: dict[str, queue.Queue[Json | None]] = {name: queue.Queue() for name in PATHS}
        """What watches of a kind say next; None ends the one that is open."""
        self.asked: list[tuple[str, str]] = []
        """(resource, version) of each watch."""
        self.refused = 0
        """How often a kind was asked for that is not served, or broken."""
        self.broken = False
        """Whether what is asked for is answered 503."""

    def say(self, name: str, kind: str, revision: int, **parts: Any) -> None:
        """Tell the watch of a kind of a change."""
        self.feeds[name].put({"type": kind, "object": an_object(name, revision) | parts})

    def discovery(self, core: bool) -> Json:
        groups: dict[str, list[Json]] = {}
        for name in self.served:
            parts = PATHS[name].split("/")
            group = "" if parts[1] == "api" else parts[2]
            if (group == "") is core:
                groups.setdefault(group, []).append(
                    {
                        "resource": name,
                        "responseKind": {"kind": KINDS[name]},
                        "scope": "Namespaced",
                        "verbs": ["list", "watch"],
                    }
                )
        return {
            "items": [
                {"metadata": {"name": group}, "versions": [{"version": "v1", "resources": found}]}
                for group, found in groups.items()
            ]
        }


def an_object(name: str, revision: int) -> Json:
    return {
        "apiVersion": "v1",
        "kind": KINDS[name],
        "metadata": {"name": "a", "uid": "u", "resourceVersion": str(revision)},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    played: PlayedServer

    def do_GET(self) -> None:
        asked, played = urlsplit(self.path), self.played
        name = next((name for name in played.served if PATHS[name] == asked.path), None)
        version = {"resourceVersion": str(played.version)}
        if asked.path in ("/api", "/apis"):
            self._answer(200, played.discovery(asked.path == "/api"))
        elif asked.path == "/api/v1/namespaces":
            self._answer(200, {"metadata": version})
        elif name is None or played.broken:
            self._answer(503 if played.broken else 404, {})
            played.refused += 1
        elif "watch=1" in asked.query:
            self._watch(name, parse_qs(asked.query)["resourceVersion"][0])
        else:
            self._answer(200, {"metadata": version, "items": played.lists.get(name, [])})

    def _watch(self, name: str, version: str) -> None:
        self.played.asked.append((name, version))
        if int(version) < self.played.oldest:
            self._answer(410, {})
            return
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        while (change := self.played.feeds[name].get()) is not None:
            self.wfile.write(json.dumps(change, ensure_ascii=False).encode() + b"\n")
        self.close_connection = True

    def _answer(self, status: int, body: Json) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[tuple[PlayedServer, Path]]:
    """Serve on loopback; yields the server and a kubeconfig for it."""
    authority = pki.Authority(folder)
    authority.create()
    for identity in pki.COMPONENTS[:2]:
        authority.issue(identity)
    played = PlayedServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"played": played}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "apiserver.crt", folder / "apiserver.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    kubeconfig = authority.kubeconfig("admin")
    here = f"127.0.0.1:{server.server_address[1]}"
    kubeconfig.write_text(
        kubeconfig.read_text().replace(f"{layout.GATEWAY}:{layout.API_PORT}", here)
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield played, kubeconfig
    finally:
        for feed in played.feeds.values():
            feed.put(None)
        server.shutdown()
        thread.join()
        server.server_close()
