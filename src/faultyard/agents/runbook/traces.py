"""Failing and slow traces: the call in which the error begins, or in which the time goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .tools import Tools

SINCE = "-4m"
LOOKED_AT = 2
"""So many traces of each kind are read: a turn has a number of calls."""
SLOW_MS = 800.0
CLIENT = ("client", "producer")
HOST_TAGS = ("server.address", "peer.service", "net.peer.name", "peer.hostname", "rpc.service")

Spans = list[dict[str, Any]]


def pointing(tools: Tools) -> Iterator[tuple[str, str, float]]:
    """What failing and slow traces point to: name, sentence, weight."""
    if not {"service_graph", "traces_search", "trace"} <= tools.names:
        return
    first = _entrances(tools)
    for service in first:
        failing = {"service": service, "tags": {"error": "true"}, "start": SINCE}
        for spans in _found(tools, failing):
            yield from _first_errors(spans)
        slow = {"service": service, "min_duration_ms": SLOW_MS, "start": SINCE}
        for spans in _found(tools, slow):
            yield from _slowest(spans)


def _entrances(tools: Tools) -> list[str]:
    """The services that call others and that nobody calls."""
    answer = tools.call("service_graph", start=SINCE)
    rows = [] if answer.failed else answer.rows()
    called = {str(row.get("callee")) for row in rows}
    return sorted({str(row.get("caller")) for row in rows} - called)[:3]


def _found(tools: Tools, asked: dict[str, Any]) -> Iterator[Spans]:
    answer = tools.call("traces_search", limit=40, **asked)
    kinds: dict[str, str] = {}
    for row in [] if answer.failed else answer.rows():
        # One of each way to fail says more than the newest of the most frequent one.
        kinds.setdefault(str(row.get("errors")), str(row.get("id")))
    for identifier in list(kinds.values())[:LOOKED_AT]:
        found = tools.call("trace", id=identifier)
        if not found.failed:
            yield found.rows()


def _first_errors(spans: Spans) -> Iterator[tuple[str, str, float]]:
    """Errors that no error below them explains."""
    explained = {span.get("parent") for span in spans if span.get("error")}
    for span in spans:
        if not span.get("error") or span.get("span") in explained:
            continue
        said = _message(span)
        tags = span.get("tags") or {}
        if str(tags.get("span.kind", "")) in CLIENT:
            for name in _callee(tags):
                caller = span.get("service")
                yield name, f"traces: the call of {caller} to {name} fails first: {said}", 2.5
        else:
            name = str(span.get("service"))
            yield name, f"traces: the error begins in {name}: {said}", 2.0


def _slowest(spans: Spans) -> Iterator[tuple[str, str, float]]:
    """The span that spends the most time itself."""
    below: dict[str, float] = {}
    for span in spans:
        parent = str(span.get("parent") or "")
        below[parent] = below.get(parent, 0.0) + float(span.get("duration_ms") or 0)
    own = [
        (float(span.get("duration_ms") or 0) - below.get(str(span.get("span")), 0.0), span)
        for span in spans
    ]
    if not own:
        return
    spent, span = max(own, key=lambda pair: pair[0])
    tags = span.get("tags") or {}
    names = _callee(tags) if str(tags.get("span.kind", "")) in CLIENT else []
    for name in names or [str(span.get("service"))]:
        yield name, f"traces: {spent:.0f} ms of a slow request go by in {name}", 2.0


def _callee(tags: dict[str, Any]) -> list[str]:
    """By which name a call's other side is known."""
    for key in HOST_TAGS:
        value = str(tags.get(key) or "")
        name = value.rpartition(".")[2] if key == "rpc.service" else value.partition(":")[0]
        name = name.partition(".")[0].lower()
        if name and not name[0].isdigit():
            return [name]
    return []


def _message(span: dict[str, Any]) -> str:
    tags = span.get("tags") or {}
    for key in ("otel.status_description", "error.message", "exception.message"):
        if tags.get(key):
            return str(tags[key])[:200]
    for log in span.get("logs") or ():
        if isinstance(log, dict) and log.get("exception.message"):
            return str(log["exception.message"])[:200]
    return str(span.get("operation"))
