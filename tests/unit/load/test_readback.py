"""What users wrote is asked for again, by a real request to a real server."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from faultyard.load import readback
from faultyard.load.errors import LoadError
from faultyard.load.readback import MOST, read_back
from faultyard.model.application import ReadBack
from faultyard.model.ledger import Acknowledged

HOW = ReadBack(
    journey="reserve",
    table="users.jsonl",
    key="username",
    path="/bookings",
    query={"name": "${username}", "password": "${row.password}", "id": "${id}"},
    expect={"bookings.0.rooms": "${rooms}"},
)


class Shop(BaseHTTPRequestHandler):
    """Knows the bookings whose id does not begin with `x`, and fails for those with `y`."""

    def do_GET(self) -> None:
        query = {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}
        status = 503 if query["id"].startswith("y") else 200
        rooms = [] if query["id"].startswith("x") else [{"rooms": 2}]
        body = json.dumps({"asked": query, "bookings": rooms}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "users.jsonl").write_text('{"username": "ann", "password": "p&1"}\n')
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def booked(identifier: str, username: str = "ann", journey: str = "reserve") -> Acknowledged:
    return Acknowledged(1.0, journey, identifier, {"username": username, "rooms": 2})


def test_each_write_is_asked_for_as_its_user(shop: str, tmp_path: Path) -> None:
    found = read_back(HOW, tmp_path, [shop], [booked("a"), booked("x1"), booked("y1")])
    assert [(f.id, f.status, f.answered) for f in found] == [
        ("a", 200, True),
        ("x1", 200, True),
        ("y1", 503, False),
    ]
    assert found[0].answer["asked"] == {"name": "ann", "password": "p&1", "id": "a"}


def test_writes_of_other_journeys_are_not_asked_for(shop: str, tmp_path: Path) -> None:
    assert read_back(HOW, tmp_path, [shop], [booked("a", journey="login")]) == []


def test_of_many_some_are_asked_for_from_first_to_last(
    shop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readback, "DEADLINE_S", 60)
    found = read_back(HOW, tmp_path, [shop], [booked(str(n)) for n in range(2 * MOST)])
    assert [int(f.id) for f in found] == list(range(0, 2 * MOST, 2))


def test_an_application_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readback, "DEADLINE_S", 0.5)
    monkeypatch.setattr(readback, "PATIENCE_S", 0.3)
    (tmp_path / "users.jsonl").write_text('{"username": "ann", "password": "p"}\n')
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        found = read_back(HOW, tmp_path, [address], [booked(str(n)) for n in range(MOST)])
        assert time.monotonic() - begun < 4  # of 300, each with 0.3 s
    assert not any(f.answered for f in found)
    places = [int(f.id) for f in found]
    assert places == sorted(places)
    assert len(places) < MOST
    assert max(places) > 2 * len(places)  # one after the other these would be the first ones


def test_an_application_that_does_not_answer_has_said_nothing(tmp_path: Path) -> None:
    (tmp_path / "users.jsonl").write_text('{"username": "ann", "password": "p"}\n')
    (found,) = read_back(HOW, tmp_path, ["127.0.0.1:1"], [booked("a")])
    assert (found.status, found.answered) == (0, False)


def test_a_write_of_nobody_known_is_a_mistake_of_the_description(shop: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"users\.jsonl has no row"):
        read_back(HOW, tmp_path, [shop], [booked("a", username="zoe")])
