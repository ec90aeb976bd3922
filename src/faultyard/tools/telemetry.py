"""The tools on metrics, alerts, logs and traces. Answers are lines of JSON, one a finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import Field

from faultyard.model.strict import Strict
from faultyard.tools.arguments import Moment, moment, written
from faultyard.tools.backends import Alerts, Backends, Logs, Metrics, Series
from faultyard.tools.errors import Malformed
from faultyard.tools.json_lines import lines, span
from faultyard.tools.tool import Answer, Form, Tool
from faultyard.tools.tracing import trace_tools

MAX_POINTS = 1_000
"""Of each series of a range."""

Query = Annotated[str, Field(min_length=1, max_length=8_000)]


class Instant(Strict):
    """What `metrics_query` takes."""

    query: Query = Field(description="PromQL.")
    at: Moment = Field("now", description="now, -15m, RFC 3339 or unix seconds.")


class Range(Strict):
    """What `metrics_range` takes."""

    query: Query = Field(description="PromQL.")
    start: Moment = Field("-15m", description="now, -15m, RFC 3339 or unix seconds.")
    end: Moment = Field("now", description="As start.")
    step_s: float = Field(15, ge=1, le=86_400, description="Seconds between two values.")


class Nothing(Strict):
    """No arguments."""


class LogSearch(Strict):
    """What `logs_search` takes."""

    query: Query = Field(
        description="LogsQL: words, phrases in quotes, field:value, AND, OR, NOT, pipes. `*` is "
        "everything."
    )
    start: Moment = Field("-15m", description="now, -15m, RFC 3339 or unix seconds.")
    end: Moment = Field("now", description="As start.")
    limit: int = Field(100, ge=1, le=1_000, description="At most so many lines.")


def tools(backends: Backends) -> list[Tool[Any]]:
    """The tools for the backends that there are."""
    found: list[Tool[Any]] = []
    if backends.metrics is not None:
        found += _metrics_tools(backends.metrics)
    if backends.alerts is not None:
        found.append(_alerts_tool(backends.alerts))
    if backends.logs is not None:
        found.append(_logs_tool(backends.logs))
    if backends.traces is not None:
        found += trace_tools(backends.traces)
    return found


def _metrics_tools(metrics: Metrics) -> list[Tool[Any]]:
    def instant(given: Instant) -> Answer:
        found = metrics.instant(given.query, moment(given.at))
        rows = ({"labels": s.labels, "value": s.points[-1][1]} for s in found if s.points)
        return lines(rows, "no series")

    def over(given: Range) -> Answer:
        start, end = span("metrics_range", given.start, given.end)
        if (points := int((end - start) / given.step_s) + 1) > MAX_POINTS:
            raise Malformed(
                f"metrics_range: that is {points} values a series, at most {MAX_POINTS} are given; "
                f"use step_s={(end - start) / MAX_POINTS:.0f} or more, or a shorter time"
            )
        found = metrics.range(given.query, start, end, given.step_s)
        return lines(_rows(found), "no series")

    return [
        Tool(
            "metrics_query",
            "The values of a metric now or at a moment: one JSON line for each series.",
            Form.of(Instant),
            instant,
            reads=True,
        ),
        Tool(
            "metrics_range",
            "The values of a metric over time: one JSON line for each series, with points as "
            "[seconds since its first, value].",
            Form.of(Range),
            over,
            reads=True,
        ),
    ]


def _rows(found: Sequence[Series]) -> Iterable[dict[str, Any]]:
    for each in found:
        if not each.points:
            continue
        first = each.points[0][0]
        points = [[round(at - first, 3), value] for at, value in each.points]
        yield {"labels": each.labels, "first": written(first), "points": points}


def _alerts_tool(alerts: Alerts) -> Tool[Nothing]:
    def act(_given: Nothing) -> Answer:
        rows = (
            {
                "alert": each.labels.get("alertname", ""),
                "state": each.state,
                "since": each.since,
                "value": each.value,
                "labels": {k: v for k, v in each.labels.items() if k != "alertname"},
                "annotations": each.annotations,
            }
            for each in alerts.active()
        )
        return lines(rows, "no alert is active")

    said = "The alerts that fire or are about to, one JSON line each."
    return Tool("alerts", said, Form.of(Nothing), act, reads=True)


def _logs_tool(logs: Logs) -> Tool[LogSearch]:
    def act(given: LogSearch) -> Answer:
        start, end = span("logs_search", given.start, given.end)
        found = logs.search(given.query, start, end, given.limit)
        answer = lines(found, "no line fits")
        if len(found) < given.limit:
            return answer
        note = f"[limit={given.limit} is reached; older lines may be missing]"
        return Answer(f"{answer.text}\n{note}", cut=True)

    said = (
        "Search the logs of all containers and nodes, ended ones too: one JSON line each, the "
        "newest first. Containers' lines have kubernetes.pod_namespace, kubernetes.pod_name, "
        "kubernetes.container_name, kubernetes.pod_node_name, level; those of nodes' units have "
        "_HOSTNAME and _SYSTEMD_UNIT."
    )
    return Tool("logs_search", said, Form.of(LogSearch), act, reads=True)
