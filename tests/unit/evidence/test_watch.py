"""The watcher, against an API server that is played: what real ones do seldom."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from faultyard.evidence import watch
from faultyard.evidence.watch import Watcher
from faultyard.model.watch import Watch, parse
from unit.evidence.played_server import PlayedServer, an_object, serving


@pytest.fixture
def played(tmp_path: Path) -> Iterator[tuple[PlayedServer, Watcher]]:
    with serving(tmp_path / "pki") as (server, kubeconfig):
        yield server, Watcher(kubeconfig, contextlib.nullcontext, tmp_path / "watch.jsonl")


def lines(watcher: Watcher) -> list[dict[str, Any]]:
    return [json.loads(line) for line in watcher.read().split(b"\n") if line]


def wait_for_line(watcher: Watcher, **parts: Any) -> None:
    def look() -> tuple[bool | None, str]:
        found = [line for line in lines(watcher) if parts.items() <= line.items()]
        return (True if found else None), str(lines(watcher)[-3:])

    wait_for(f"a line with {parts}", look, timeout_s=20, every_s=0.02)


def wait_for_revision(watcher: Watcher, revision: int) -> None:
    needle = f'"resourceVersion":"{revision}"'.encode()
    wait_for(
        f"revision {revision}",
        lambda: (True if needle in watcher.read() else None, watcher.read()[-300:].decode()),
        timeout_s=20,
        every_s=0.02,
    )


def ended(watcher: Watcher) -> Watch:
    watcher.stop()
    return parse(watcher.file.read_bytes())


def test_every_kind_is_watched_from_one_version_on_but_those_left_out(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    watcher.start()
    assert sorted(server.asked) == [("configmaps", "100"), ("customresourcedefinitions", "100")]
    seen = ended(watcher)
    assert {kind.kind for kind in seen.kinds.values()} == {"ConfigMap", "CustomResourceDefinition"}
    assert list(seen.skipped) == ["events."]
    assert (seen.gaps, seen.relists, seen.ended) == ((), (), True)


def test_a_change_is_written_down_without_who_managed_it(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    watcher.start()
    body = an_object("configmaps", 101)
    body["metadata"]["managedFields"] = [{"manager": "somebody"}]
    odd = "a line\x85that\u2028only looks like two"
    server.feeds["configmaps"].put({"type": "MODIFIED", "object": body | {"data": {"x": odd}}})
    wait_for_revision(watcher, 101)
    (change,) = ended(watcher).changes
    assert change.raw["data"]["x"] == odd
    assert "managedFields" not in change.raw["metadata"]


def test_a_watch_that_is_broken_off_goes_on_from_the_last_version_it_saw(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    watcher.start()
    server.say("configmaps", "ADDED", 101)
    server.say("configmaps", "BOOKMARK", 105)
    server.feeds["configmaps"].put(None)
    server.say("configmaps", "MODIFIED", 106)
    wait_for_revision(watcher, 106)
    assert ("configmaps", "105") in server.asked
    seen = ended(watcher)
    assert [change.version[1] for change in seen.changes] == ["101", "106"]
    assert (seen.gaps, seen.relists) == ((), ())


@pytest.mark.parametrize("as_event", [True, False], ids=["in the stream", "as a status"])
def test_a_version_that_the_server_forgot_is_said_and_the_kind_listed_anew(
    played: tuple[PlayedServer, Watcher], as_event: bool
) -> None:
    server, watcher = played
    server.lists["configmaps"] = [an_object("configmaps", 107)]
    watcher.start()
    server.version = 107
    if as_event:
        gone = {"kind": "Status", "code": 410, "message": "too old"}
        server.feeds["configmaps"].put({"type": "ERROR", "object": gone})
    else:
        server.oldest = 105
    server.feeds["configmaps"].put(None)
    wait_for_line(watcher, type="RELISTED", resource="configmaps.")
    wait_for_revision(watcher, 107)
    server.say("configmaps", "MODIFIED", 108)
    wait_for_revision(watcher, 108)
    seen = ended(watcher)
    assert [change.version[1] for change in seen.changes] == ["107", "108"]
    (relist,) = seen.relists
    assert relist.line < seen.changes[0].line < relist.until


def test_a_kind_that_comes_in_the_turn_is_watched_and_one_that_goes_is_closed(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    watcher.start()
    server.served.append("widgets")
    server.lists["widgets"] = [an_object("widgets", 102)]
    server.say("customresourcedefinitions", "ADDED", 101)
    wait_for_line(watcher, type="OPENED", plural="widgets")
    server.served.remove("widgets")
    server.feeds["widgets"].put(None)
    wait_for("the kind to be refused", lambda: (server.refused > 1 or None, ""), timeout_s=10)
    seen = ended(watcher)
    assert seen.gaps == ()
    assert seen.closed == {"widgets.example.com"}


def test_a_kind_that_is_refused_for_a_while_goes_on_from_its_last_version(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    watcher.start()
    server.say("configmaps", "ADDED", 101)
    server.served.remove("configmaps")
    server.feeds["configmaps"].put(None)
    wait_for("the kind to be refused", lambda: (server.refused > 1 or None, ""), timeout_s=10)
    server.say("configmaps", "MODIFIED", 102)
    server.served.append("configmaps")
    wait_for_revision(watcher, 102)
    assert ("configmaps", "101") in server.asked
    seen = ended(watcher)
    assert (seen.gaps, seen.relists, seen.closed) == ((), (), frozenset())


def test_a_kind_that_is_not_watched_at_the_end_is_a_gap(
    played: tuple[PlayedServer, Watcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "CATCH_UP_S", 0)
    server, watcher = played
    watcher.start()
    server.broken = True
    server.feeds["configmaps"].put(None)
    wait_for("the kind to be refused", lambda: (server.refused > 1 or None, ""), timeout_s=10)
    (gap,) = ended(watcher).gaps
    assert (gap.resource, gap.message) == ("configmaps.", "it was not watched at the end")


def test_a_server_that_talks_nonsense_of_its_kind_spoils_that_kind_alone(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    watcher.start()
    server.feeds["customresourcedefinitions"].put({"type": "ADDED", "object": {"kind": "X"}})
    wait_for_line(watcher, type="GAP", resource="customresourcedefinitions.apiextensions.k8s.io")
    server.say("configmaps", "ADDED", 101)
    wait_for_revision(watcher, 101)
    assert [change.ref.kind for change in ended(watcher).changes] == ["ConfigMap"]


def test_it_ends_when_what_was_awaited_is_there(played: tuple[PlayedServer, Watcher]) -> None:
    server, watcher = played
    watcher.start()
    server.say("configmaps", "ADDED", 101)
    watcher.stop(lambda content: b'"101"' in content)
    assert parse(watcher.file.read_bytes()).changes


def test_a_server_that_does_not_answer_is_said_at_the_start(
    played: tuple[PlayedServer, Watcher],
) -> None:
    server, watcher = played
    server.served.clear()
    server.version = None  # type: ignore[assignment]
    watcher._server = "https://127.0.0.1:9"
    with pytest.raises(ClusterError, match="watching the cluster failed"):
        watcher.start()
