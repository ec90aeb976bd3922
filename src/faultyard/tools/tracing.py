"""The tools on traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from faultyard.model.strict import Strict
from faultyard.tools.arguments import Moment, written
from faultyard.tools.backends import Span, Trace, TraceQuery, Traces
from faultyard.tools.errors import Declined
from faultyard.tools.json_lines import lines, span
from faultyard.tools.tool import Answer, Form, Tool

MAX_SPANS = 400
SHOWN_TAG = 300
"""Characters of a tag's value that are shown."""


class Search(Strict):
    """What `traces_search` takes."""

    service: str = Field(min_length=1, max_length=250, description="Traces in which it has a span.")
    operation: str = Field("", max_length=500, description="Of a span of that service.")
    tags: dict[str, str] = Field(
        default_factory=dict, description='Tags that a span must have. Example: {"error": "true"}'
    )
    min_duration_ms: float | None = Field(None, ge=0, description="Of such a span.")
    max_duration_ms: float | None = Field(None, ge=0, description="Of such a span.")
    start: Moment = Field("-15m", description="now, -15m, RFC 3339 or unix seconds.")
    end: Moment = Field("now", description="As start.")
    limit: int = Field(20, ge=1, le=200, description="At most so many traces.")


class One(Strict):
    """What `trace` takes."""

    # No path but a trace's can be made of it.
    id: str = Field(pattern=r"^[0-9a-fA-F]{1,32}$", description="As traces_search gives it.")


class Window(Strict):
    """What `service_graph` takes."""

    start: Moment = Field("-15m", description="now, -15m, RFC 3339 or unix seconds.")
    end: Moment = Field("now", description="As start.")


def trace_tools(traces: Traces) -> list[Tool[Any]]:
    """The tools, on this store."""
    return [
        Tool(
            "traces_search",
            "Search traces: one JSON line each, with its services, its first span and its errors.",
            Form.of(Search),
            lambda given: _search(traces, given),
            reads=True,
        ),
        Tool(
            "trace",
            "One trace with all its spans: one JSON line each, in the order of their beginnings.",
            Form.of(One),
            lambda given: _one(traces, given),
            reads=True,
        ),
        Tool(
            "service_graph",
            "Who calls whom, from traces: one JSON line for each pair of services.",
            Form.of(Window),
            lambda given: _graph(traces, given),
            reads=True,
        ),
    ]


def _search(traces: Traces, given: Search) -> Answer:
    start, end = span("traces_search", given.start, given.end)
    query = TraceQuery(
        service=given.service,
        start=start,
        end=end,
        limit=given.limit,
        operation=given.operation,
        tags=given.tags,
        min_duration_ms=given.min_duration_ms,
        max_duration_ms=given.max_duration_ms,
    )
    found = traces.search(query)
    if not found and given.service not in (known := traces.services()):
        raise Declined(
            f"no service {given.service!r} has reported spans; there are: {', '.join(known)}"
        )
    return lines((_summary(each) for each in found if each.spans), "no trace fits")


def _summary(trace: Trace) -> dict[str, Any]:
    roots = [each for each in trace.spans if not each.parent] or list(trace.spans)
    failed = [each for each in trace.spans if each.error]
    last = max(each.start + each.duration_ms / 1000 for each in trace.spans)
    return {
        "id": trace.id,
        "start": written(trace.spans[0].start),
        "duration_ms": round((last - trace.spans[0].start) * 1000, 1),
        "first": f"{roots[0].service} {roots[0].operation}",
        "services": sorted({each.service for each in trace.spans}),
        "spans": len(trace.spans),
        "errors": sorted({f"{each.service} {each.operation}" for each in failed}),
    }


def _one(traces: Traces, given: One) -> Answer:
    trace = traces.trace(given.id.lower())
    answer = lines((_row(each, trace) for each in trace.spans[:MAX_SPANS]), "it has no span")
    if len(trace.spans) <= MAX_SPANS:
        return answer
    note = f"[{len(trace.spans) - MAX_SPANS} of {len(trace.spans)} spans were cut here]"
    return Answer(f"{answer.text}\n{note}", cut=True)


def _row(each: Span, trace: Trace) -> dict[str, Any]:
    row = {
        "span": each.id,
        "parent": each.parent,
        "service": each.service,
        "operation": each.operation,
        "at_ms": round((each.start - trace.spans[0].start) * 1000, 2),
        "duration_ms": each.duration_ms,
        "error": each.error,
        "tags": _short(each.tags),
    }
    return {**row, "logs": [_short(log) for log in each.logs]} if each.logs else row


def _short(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        k: v if len(text := str(v)) <= SHOWN_TAG else f"{text[:SHOWN_TAG]}…"
        for k, v in fields.items()
    }


def _graph(traces: Traces, given: Window) -> Answer:
    start, end = span("service_graph", given.start, given.end)
    found = sorted(traces.dependencies(start, end), key=lambda c: (c.caller, c.callee))
    rows: Iterable[dict[str, Any]] = (
        {"caller": each.caller, "callee": each.callee, "calls": each.calls} for each in found
    )
    return lines(rows, "no call between services was seen")
