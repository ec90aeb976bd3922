"""Doors to services, which are played by a server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from faultyard.agents import doors
from faultyard.agents.doors import Door, Doors, Service

TOKEN = "t0ken"
BY_NAME = {service.name: service for service in doors.SERVICES}


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    def do_GET(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        asked = {
            "method": self.command,
            "target": self.path,
            "headers": {key.lower(): value for key, value in self.headers.items()},
            "body": self.rfile.read(size).decode(),
        }
        body = json.dumps(asked).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815 - the base class looks it up by that name

    def log_message(self, *_: object) -> None:
        """Be silent."""


@pytest.fixture
def address() -> Iterator[str]:
    """A service that echoes."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def behind(name: str, address: str) -> Service:
    service = BY_NAME[name]
    return Service(service.name, address, service.start, service.allowed, service.token_behind)


@pytest.fixture
def door(address: str) -> Iterator[Door]:
    closed = Door(behind("Prometheus", address), TOKEN, nullcontext)
    with closed.thread:
        yield closed


@pytest.fixture
def person() -> Iterator[httpx.Client]:
    """Keeps cookies, as a browser does."""
    with httpx.Client(trust_env=False, verify=False, follow_redirects=True) as client:
        yield client


def at(door: Door, target: str) -> str:
    return f"http://127.0.0.1:{door.port}{target}"


def test_the_address_that_is_told_opens_the_door_and_keeps_it_open(
    door: Door, person: httpx.Client
) -> None:
    answer = person.get(door.url)
    assert answer.json()["target"] == door.service.start
    assert TOKEN not in str(answer.url)
    assert person.get(at(door, "/api/v1/query?query=up%7B%7D")).json()["target"] == (
        "/api/v1/query?query=up%7B%7D"
    )


def test_the_token_does_not_reach_the_service(door: Door, person: httpx.Client) -> None:
    person.get(door.url)
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    seen = person.get(at(door, "/graph"), headers=bearer).json()["headers"]
    assert TOKEN not in json.dumps(seen)


def test_a_program_shows_the_token_in_a_header_and_may_post_a_query(
    door: Door, person: httpx.Client
) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    answer = person.post(at(door, "/api/v1/query"), headers=bearer, data={"query": "up"})
    assert (answer.json()["method"], answer.json()["body"]) == ("POST", "query=up")


@pytest.mark.parametrize("sent", [{}, {"Authorization": "Bearer no"}, {"Cookie": "oncall-1=no"}])
def test_nothing_is_let_through_without_the_token(
    door: Door, person: httpx.Client, sent: dict[str, str]
) -> None:
    assert person.get(at(door, "/graph"), headers=sent).status_code == 401
    assert person.get(at(door, "/graph?token=wrong")).status_code == 401


def test_another_name_for_this_address_is_not_answered(door: Door, person: httpx.Client) -> None:
    person.get(door.url)
    headers = {"Host": f"evil.example:{door.port}", "Authorization": f"Bearer {TOKEN}"}
    assert person.get(at(door, "/graph"), headers=headers).status_code == 421


@pytest.mark.parametrize(
    "target",
    [
        "/flags",
        "/config",
        "/targets",
        "/metrics",
        "/federate",
        "/api/v1/status/config",
        "/api/v1/status/flags",
        "/api/v1/targets",
        "/api/v1/rules",
        "/api/v1/admin/tsdb/snapshot",
        "/-/quit",
        "/debug/pprof/heap",
        "/static/../config",
        "/static/%2e%2e/config",
        "/graph/../flags",
    ],
)
def test_what_shows_how_a_store_is_run_is_not_let_through(door: Door, target: str) -> None:
    # A client of sockets, since others tidy paths up.
    import socket  # noqa: PLC0415

    request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{door.port}\r\n"
    request += f"Authorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", door.port), timeout=10) as sent:
        sent.sendall(request.encode())
        assert sent.recv(4096).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    ("name", "path", "allowed"),
    [
        ("Jaeger", "/search", True),
        ("Jaeger", "/api/traces/abc", True),
        ("Jaeger", "/api/services/web/operations", True),
        ("Jaeger", "/api/sampling", False),
        ("VictoriaLogs", "/select/vmui/", True),
        ("VictoriaLogs", "/select/vmui/static/js/main.js", True),
        ("VictoriaLogs", "/select/logsql/query", True),
        ("VictoriaLogs", "/insert/jsonline", False),
        ("VictoriaLogs", "/delete/run_task", False),
        ("VictoriaLogs", "/metrics", False),
        ("VictoriaLogs", "/flags", False),
        ("VictoriaLogs", "/internal/force_flush", False),
        ("MCP", "/mcp", True),
        ("MCP", "/", False),
    ],
)
def test_services_are_asked_on_paths_of_queries_alone(name: str, path: str, allowed: bool) -> None:
    assert bool(BY_NAME[name].allowed.fullmatch(path)) is allowed


def test_tools_get_the_header_and_take_no_cookie(address: str, person: httpx.Client) -> None:
    door = Door(behind("MCP", address), TOKEN, nullcontext)
    with door.thread:
        assert TOKEN not in door.url
        assert person.post(door.url).status_code == 401
        assert person.post(f"{door.url}?token={TOKEN}").status_code == 401
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        seen = person.post(door.url, headers=bearer, json={}).json()["headers"]
        assert seen["authorization"] == f"Bearer {TOKEN}"


def test_only_services_that_are_there_get_a_door(address: str) -> None:
    gone = Service("Jaeger", "127.0.0.1:1", "/", BY_NAME["Jaeger"].allowed)
    with Doors(TOKEN, nullcontext, [behind("Prometheus", address), gone]) as opened:
        assert [door.service.name for door in opened.open] == ["Prometheus"]
        port = opened.open[0].port
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/graph", trust_env=False)


def test_a_service_that_went_away_is_told(person: httpx.Client) -> None:
    door = Door(behind("Prometheus", "127.0.0.1:1"), TOKEN, nullcontext)
    with door.thread:
        answer = person.get(door.url)
    assert answer.status_code == 502
    assert "Prometheus does not answer" in answer.text
