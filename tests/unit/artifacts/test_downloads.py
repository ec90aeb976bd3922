import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import downloads
from faultyard.clusters.embedded.artifacts.downloads import Limits
from faultyard.clusters.embedded.artifacts.errors import NotFetched, WrongDigest
from unit.artifacts import file_server
from unit.artifacts.file_server import FileServer

CONTENT = bytes(range(256)) * 1000
QUICK = Limits(answer_s=0.5, silence_s=0.3, whole_s=5.0, attempts=3)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with file_server.serving() as state:
        state.files["/archive"] = CONTENT
        yield state


def fetched(server: FileServer, folder: Path, path: str = "/archive", kind: str = "sha256") -> Path:
    file = folder / "file"
    downloads.fetch(server.url(path), digest(CONTENT, kind), file, QUICK)
    return file


def digest(content: bytes, kind: str = "sha256") -> str:
    return f"{kind}:{hashlib.new(kind, content).hexdigest()}"


@pytest.mark.parametrize("kind", ["sha256", "sha512"])
def test_the_pinned_file_is_fetched(server: FileServer, tmp_path: Path, kind: str):
    assert fetched(server, tmp_path, kind=kind).read_bytes() == CONTENT


def test_a_file_that_has_moved_is_followed(server: FileServer, tmp_path: Path):
    assert fetched(server, tmp_path, "/moved/archive").read_bytes() == CONTENT


def test_another_file_is_thrown_away_and_both_digests_are_told(server: FileServer, tmp_path: Path):
    server.files["/archive"] = CONTENT + b"!"
    with pytest.raises(WrongDigest) as failure:
        fetched(server, tmp_path)
    assert digest(CONTENT) in str(failure.value)
    assert digest(CONTENT + b"!") in str(failure.value)
    assert not list(tmp_path.iterdir())
    assert server.asked == ["GET /archive"]


def test_a_body_that_was_cut_off_is_asked_for_again(server: FileServer, tmp_path: Path):
    server.cut_off["/archive"] = 2
    assert fetched(server, tmp_path).read_bytes() == CONTENT
    assert server.asked == ["GET /archive"] * 3


def test_a_body_that_is_always_cut_off_leaves_nothing(server: FileServer, tmp_path: Path):
    server.cut_off["/archive"] = 99
    with pytest.raises(NotFetched, match=r"/archive was tried 3 times: peer closed connection"):
        fetched(server, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_server_that_never_answers_costs_a_bounded_time(server: FileServer, tmp_path: Path):
    server.silent.add("/archive")
    begun = time.monotonic()
    with pytest.raises(NotFetched, match=r"was tried 3 times: timed out"):
        fetched(server, tmp_path)
    assert time.monotonic() - begun < 3 * QUICK.silence_s + 2.0


def test_a_file_that_comes_too_slowly_is_given_up(server: FileServer, tmp_path: Path):
    server.slow.add("/archive")
    limits = Limits(answer_s=0.5, silence_s=0.3, whole_s=0.5)
    with pytest.raises(NotFetched, match=r"not complete after 0\.5 s"):
        downloads.fetch(server.url("/archive"), digest(CONTENT), tmp_path / "file", limits)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_there_is_asked_for_once(server: FileServer, tmp_path: Path):
    with pytest.raises(NotFetched, match=r"/nothing answers 404 Not Found"):
        fetched(server, tmp_path, "/nothing")
    assert server.asked == ["GET /nothing"]


def test_a_server_in_trouble_is_asked_again(server: FileServer, tmp_path: Path):
    server.broken.add("/archive")
    with pytest.raises(NotFetched, match=r"tried 3 times: it answers 503"):
        fetched(server, tmp_path)


def test_a_refused_connection_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    url = file_server.refusing() + "/archive"
    with pytest.raises(NotFetched, match="refused"):
        downloads.fetch(url, digest(CONTENT), tmp_path / "file", QUICK)


def test_a_server_that_answers_is_reachable(server: FileServer):
    assert downloads.unreachable([server.url("/a"), server.url("/b")], 2.0) == {}
    assert server.asked == ["HEAD /"]


def test_all_silent_servers_together_cost_one_time_out(server: FileServer):
    with file_server.mute() as one, file_server.mute() as other:
        begun = time.monotonic()
        away = downloads.unreachable([one, other, server.url("/a")], 1.5)
        assert time.monotonic() - begun < 3.0
    assert set(away) == {downloads.server(one), downloads.server(other)}


def test_a_server_that_refuses_is_unreachable_for_that_reason(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    url = file_server.refusing()
    assert "refused" in downloads.unreachable([url], 2.0)[downloads.server(url)]


def test_a_name_that_does_not_exist_is_unreachable():
    assert set(downloads.unreachable(["https://nobody.invalid/x"], 2.0)) == {"nobody.invalid"}
