"""Jaeger by the HTTP API of its query service, which its own user interface uses.

https://www.jaegertracing.io/docs/latest/apis/ (paths below /api)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from faultyard.tools.adapters.http import Store
from faultyard.tools.backends import Call, Span, Trace, TraceQuery
from faultyard.tools.errors import Declined

MICRO = 1_000_000


class Jaeger:
    """Traces.

    Args:
        url: its base, such as `http://172.30.0.1:16686`.
    """

    def __init__(self, url: str) -> None:
        self._store = Store("the trace store", url)

    def services(self) -> Sequence[str]:
        """The services that have reported spans."""
        return sorted(self._data("/api/services", {}))

    def search(self, query: TraceQuery) -> Sequence[Trace]:
        """The traces that fit."""
        asked: dict[str, str | int] = {
            "service": query.service,
            "start": int(query.start * MICRO),
            "end": int(query.end * MICRO),
            "limit": query.limit,
        }
        if query.operation:
            asked["operation"] = query.operation
        if query.tags:
            asked["tags"] = json.dumps(dict(query.tags))
        if query.min_duration_ms is not None:
            asked["minDuration"] = f"{query.min_duration_ms:g}ms"
        if query.max_duration_ms is not None:
            asked["maxDuration"] = f"{query.max_duration_ms:g}ms"
        return [_trace(each) for each in self._data("/api/traces", asked)]

    def trace(self, identifier: str) -> Trace:
        """One trace; the identifier is hexadecimal."""
        found = self._data(f"/api/traces/{identifier}", {})
        if not found:
            raise Declined(f"there is no trace {identifier}")
        return _trace(found[0])

    def dependencies(self, start: float, end: float) -> Sequence[Call]:
        """Who called whom."""
        asked = {"endTs": int(end * 1000), "lookback": int((end - start) * 1000)}
        return [
            Call(each["parent"], each["child"], int(each["callCount"]))
            for each in self._data("/api/dependencies", asked)
        ]

    def _data(self, path: str, parameters: Mapping[str, str | int]) -> list[Any]:
        # Nothing found is null in some versions.
        return self._store.json(path, parameters).get("data") or []


def _trace(raw: Mapping[str, Any]) -> Trace:
    services = {key: each["serviceName"] for key, each in raw["processes"].items()}
    spans = [_span(each, services) for each in raw["spans"]]
    return Trace(raw["traceID"], sorted(spans, key=lambda span: span.start))


def _span(raw: Mapping[str, Any], services: Mapping[str, str]) -> Span:
    tags = {tag["key"]: tag["value"] for tag in raw.get("tags") or ()}
    parents = [r["spanID"] for r in raw.get("references") or () if r["refType"] == "CHILD_OF"]
    return Span(
        id=raw["spanID"],
        parent=parents[0] if parents else "",
        service=services[raw["processID"]],
        operation=raw["operationName"],
        start=raw["startTime"] / MICRO,
        duration_ms=raw["duration"] / 1000,
        error=_failed(tags),
        tags=tags,
        logs=[
            {field["key"]: field["value"] for field in log.get("fields") or ()}
            for log in raw.get("logs") or ()
        ],
    )


def _failed(tags: Mapping[str, Any]) -> bool:
    """Whether the tags say so: OpenTracing's `error`, or OpenTelemetry's status."""
    return tags.get("error") in {True, "true"} or tags.get("otel.status_code") == "ERROR"
