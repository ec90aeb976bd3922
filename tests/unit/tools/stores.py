"""A small HTTP server that plays the telemetry stores with answers as they were recorded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Played:
    """What is answered by path, and what was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, str]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.url = ""

    def answer(self, path: str, body: Any, status: int = 200) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.answers[path] = (status, text)


@contextmanager
def play() -> Iterator[Played]:
    """Serve on a free port of the loopback."""
    played = Played()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
            played.asked.append((parts.path, asked))
            status, text = played.answers.get(parts.path, (404, "404 page not found"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    played.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield played
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


VECTOR = {
    "status": "success",
    "data": {
        "resultType": "vector",
        "result": [
            {
                "metric": {"__name__": "up", "job": "kubelet", "node": "worker-1"},
                "value": [1769848200.781, "1"],
            },
            {"metric": {"__name__": "up", "job": "kubelet", "node": "worker-2"}, "value": [1, "0"]},
        ],
    },
}
MATRIX = {
    "status": "success",
    "data": {
        "resultType": "matrix",
        "result": [
            {
                "metric": {"service": "rate"},
                "values": [[1769848200, "0.99"], [1769848215, "NaN"], [1769848230, "0.4"]],
            }
        ],
    },
}
BAD_DATA = {
    "status": "error",
    "errorType": "bad_data",
    "error": 'invalid parameter "query": 1:3: parse error: unexpected end of input',
}
ALERTS = {
    "status": "success",
    "data": {
        "alerts": [
            {
                "labels": {
                    "alertname": "SuccessRateLow",
                    "severity": "page",
                    "service": "frontend",
                },
                "annotations": {"summary": "Requests fail at the front door"},
                "state": "firing",
                "activeAt": "2026-01-31T08:28:10.781Z",
                "value": "9.3e-01",
            }
        ]
    },
}
LOG_LINES = """\
{"_time":"2026-01-31T08:29:58.1Z","_stream":"{pod=\\"a\\"}","_msg":"listening","pod":"a"}
{"_time":"2026-01-31T08:30:02.5Z","_stream":"{pod=\\"a\\"}","_msg":"dial tcp: refused","pod":"a"}
"""
TRACE = {
    "traceID": "9bfe8376688e9116d9cbae28c0aa2db6",
    "spans": [
        {
            "traceID": "9bfe8376688e9116d9cbae28c0aa2db6",
            "spanID": "9b321d76f92134d3",
            "operationName": "rate.Rate/GetRates",
            "references": [
                {
                    "refType": "CHILD_OF",
                    "traceID": "9bfe8376688e9116d9cbae28c0aa2db6",
                    "spanID": "9b321d76f92134d2",
                }
            ],
            "startTime": 1769848200002000,
            "duration": 1503,
            "tags": [
                {"key": "span.kind", "type": "string", "value": "client"},
                {"key": "error", "type": "bool", "value": True},
                {"key": "otel.status_description", "type": "string", "value": "x" * 1000},
            ],
            "logs": [
                {
                    "timestamp": 1769848200003000,
                    "fields": [{"key": "event", "type": "string", "value": "exception"}],
                }
            ],
            "processID": "p2",
            "warnings": None,
        },
        {
            "traceID": "9bfe8376688e9116d9cbae28c0aa2db6",
            "spanID": "9b321d76f92134d2",
            "operationName": "GET /hotels",
            "references": [],
            "startTime": 1769848200000000,
            "duration": 12000,
            "tags": [{"key": "http.status_code", "type": "int64", "value": 500}],
            "logs": [],
            "processID": "p1",
            "warnings": None,
        },
    ],
    "processes": {
        "p1": {"serviceName": "frontend", "tags": []},
        "p2": {"serviceName": "search", "tags": []},
    },
    "warnings": None,
}
TRACES = {"data": [TRACE], "total": 0, "limit": 0, "offset": 0, "errors": None}
NO_TRACE = {
    "data": None,
    "total": 0,
    "limit": 0,
    "offset": 0,
    "errors": [{"code": 404, "msg": "trace not found"}],
}
DEPENDENCIES = {
    "data": [
        {"parent": "search", "child": "rate", "callCount": 41},
        {"parent": "frontend", "child": "search", "callCount": 43},
    ],
    "total": 0,
    "limit": 0,
    "offset": 0,
    "errors": None,
}
SERVICES = {"data": ["search", "frontend"], "total": 2, "limit": 0, "offset": 0, "errors": None}
