"""The tools on telemetry, down to what the stores are asked over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from faultyard.tools import telemetry
from faultyard.tools.adapters.jaeger import Jaeger
from faultyard.tools.adapters.prometheus import Prometheus
from faultyard.tools.adapters.victorialogs import VictoriaLogs
from faultyard.tools.backends import Backends
from faultyard.tools.errors import BackendFailed, Declined, Malformed
from faultyard.tools.tool import Answer
from unit.tools import stores
from unit.tools.stores import Played

AT = "2026-01-31T08:30:00Z"


@pytest.fixture
def played() -> Iterator[Played]:
    with stores.play() as server:
        yield server


def ask(played: Played, name: str, **arguments: Any) -> Answer:
    if name == "alerts" or name.startswith("metrics"):
        metrics = Prometheus(played.url)
        backends = Backends(metrics=metrics, alerts=metrics)
    elif name.startswith("logs"):
        backends = Backends(logs=VictoriaLogs(played.url))
    else:
        backends = Backends(traces=Jaeger(played.url))
    (tool,) = [each for each in telemetry.tools(backends) if each.name == name]
    answer: Answer = tool.act(tool.parse(arguments))
    return answer


def rows(answer: Answer) -> list[Any]:
    return [json.loads(line) for line in answer.text.splitlines() if line.startswith("{")]


def test_what_has_no_store_is_not_offered() -> None:
    assert telemetry.tools(Backends()) == []


def test_every_tool_on_telemetry_only_reads() -> None:
    url = "http://127.0.0.1:1"
    metrics = Prometheus(url)
    backends = Backends(metrics, metrics, VictoriaLogs(url), Jaeger(url))
    found = telemetry.tools(backends)
    assert [tool.name for tool in found] == [
        "metrics_query",
        "metrics_range",
        "alerts",
        "logs_search",
        "traces_search",
        "trace",
        "service_graph",
    ]
    assert all(tool.reads for tool in found)


class TestMetrics:
    def test_a_value_now(self, played: Played) -> None:
        played.answer("/api/v1/query", stores.VECTOR)
        answer = ask(played, "metrics_query", query="up", at=AT)
        assert rows(answer) == [
            {"labels": stores.VECTOR["data"]["result"][0]["metric"], "value": "1"},
            {"labels": stores.VECTOR["data"]["result"][1]["metric"], "value": "0"},
        ]
        asked = {"query": "up", "time": "1769848200.0", "timeout": "15s"}
        assert played.asked == [("/api/v1/query", asked)]

    def test_a_number(self, played: Played) -> None:
        data = {"resultType": "scalar", "result": [1769848200, "42"]}
        played.answer("/api/v1/query", {"status": "success", "data": data})
        assert rows(ask(played, "metrics_query", query="42")) == [{"labels": {}, "value": "42"}]

    def test_a_native_histogram_is_shown_as_it_is_written(self, played: Played) -> None:
        result = [{"metric": {}, "histogram": [1, {"count": "3", "sum": "9"}]}]
        data = {"resultType": "vector", "result": result}
        played.answer("/api/v1/query", {"status": "success", "data": data})
        assert "'count': '3'" in ask(played, "metrics_query", query="h").text

    def test_values_over_time(self, played: Played) -> None:
        played.answer("/api/v1/query_range", stores.MATRIX)
        end = "2026-01-31T08:31:00Z"
        answer = ask(played, "metrics_range", query="x", start=AT, end=end, step_s=15)
        assert rows(answer) == [
            {
                "labels": {"service": "rate"},
                "first": AT,
                "points": [[0, "0.99"], [15, "NaN"], [30, "0.4"]],
            }
        ]
        ((path, asked),) = played.asked
        assert path == "/api/v1/query_range"
        assert (asked["start"], asked["end"], asked["step"]) == (
            "1769848200.0",
            "1769848260.0",
            "15.0",
        )

    def test_nothing_found_is_said(self, played: Played) -> None:
        data = {"resultType": "vector", "result": []}
        played.answer("/api/v1/query", {"status": "success", "data": data})
        assert ask(played, "metrics_query", query="no_such") == Answer("[no series]")

    def test_a_wrong_query_is_answered_in_the_stores_words(self, played: Played) -> None:
        played.answer("/api/v1/query", stores.BAD_DATA, 400)
        with pytest.raises(Declined, match="unexpected end of input"):
            ask(played, "metrics_query", query="up{")

    def test_too_many_points_are_refused_with_what_would_do(self, played: Played) -> None:
        with pytest.raises(Malformed, match="use step_s=86 or more"):
            ask(played, "metrics_range", query="up", start="-24h", step_s=1)
        assert played.asked == []

    def test_times_in_the_wrong_order_are_refused(self, played: Played) -> None:
        with pytest.raises(Malformed, match="is not before end"):
            ask(played, "metrics_range", query="up", start="now", end="-1h")

    def test_many_series_are_cut_and_said_so(self, played: Played) -> None:
        result = [{"metric": {"pod": f"pod-{n}" * 20}, "value": [1, "1"]} for n in range(2_000)]
        data = {"resultType": "vector", "result": result}
        played.answer("/api/v1/query", {"status": "success", "data": data})
        answer = ask(played, "metrics_query", query="up")
        assert answer.cut
        assert answer.text.endswith("more lines were cut here; ask for less]")
        assert len(answer.text.encode()) < 34_000

    def test_active_alerts(self, played: Played) -> None:
        played.answer("/api/v1/alerts", stores.ALERTS)
        assert rows(ask(played, "alerts")) == [
            {
                "alert": "SuccessRateLow",
                "state": "firing",
                "since": "2026-01-31T08:28:10.781Z",
                "value": "9.3e-01",
                "labels": {"severity": "page", "service": "frontend"},
                "annotations": {"summary": "Requests fail at the front door"},
            }
        ]


class TestLogs:
    def test_the_newest_line_comes_first(self, played: Played) -> None:
        played.answer("/select/logsql/query", stores.LOG_LINES)
        answer = ask(played, "logs_search", query="pod:rate-0", start=AT, limit=10)
        assert [row["_msg"] for row in rows(answer)] == ["dial tcp: refused", "listening"]
        ((path, asked),) = played.asked
        assert path == "/select/logsql/query"
        assert asked["query"] == "pod:rate-0"
        assert asked["start"] == AT
        assert asked["limit"] == "10"

    def test_a_limit_that_is_reached_is_said(self, played: Played) -> None:
        played.answer("/select/logsql/query", stores.LOG_LINES)
        answer = ask(played, "logs_search", query="*", start=AT, limit=2)
        assert answer.cut
        assert answer.text.endswith("[limit=2 is reached; older lines may be missing]")

    def test_figures_keep_the_order_of_their_query(self, played: Played) -> None:
        played.answer("/select/logsql/query", '{"pod":"b","n":"9"}\n{"pod":"a","n":"3"}\n')
        answer = ask(played, "logs_search", query="* | stats by (pod) count() n", start=AT)
        assert [row["pod"] for row in rows(answer)] == ["b", "a"]

    def test_a_wrong_query_is_answered_in_the_stores_words(self, played: Played) -> None:
        played.answer("/select/logsql/query", "cannot parse query [(]: missing ')'", 400)
        with pytest.raises(Declined, match="the log store refuses: cannot parse query"):
            ask(played, "logs_search", query="(", start=AT)

    def test_no_line_is_said(self, played: Played) -> None:
        played.answer("/select/logsql/query", "")
        assert ask(played, "logs_search", query="x", start=AT) == Answer("[no line fits]")


class TestTraces:
    def test_a_search_gives_a_line_for_each_trace(self, played: Played) -> None:
        played.answer("/api/traces", stores.TRACES)
        answer = ask(
            played,
            "traces_search",
            service="frontend",
            tags={"error": "true"},
            min_duration_ms=1.5,
            start=AT,
            end="2026-01-31T08:31:00Z",
        )
        assert rows(answer) == [
            {
                "id": "9bfe8376688e9116d9cbae28c0aa2db6",
                "start": AT,
                "duration_ms": 12.0,
                "first": "frontend GET /hotels",
                "services": ["frontend", "search"],
                "spans": 2,
                "errors": ["search rate.Rate/GetRates"],
            }
        ]
        assert played.asked == [
            (
                "/api/traces",
                {
                    "service": "frontend",
                    "start": "1769848200000000",
                    "end": "1769848260000000",
                    "limit": "20",
                    "tags": '{"error": "true"}',
                    "minDuration": "1.5ms",
                },
            )
        ]

    def test_a_service_that_nobody_knows_is_told_with_those_that_are(self, played: Played) -> None:
        played.answer("/api/traces", {"data": [], "errors": None})
        played.answer("/api/services", stores.SERVICES)
        with pytest.raises(Declined, match="there are: frontend, search"):
            ask(played, "traces_search", service="basket")
        assert ask(played, "traces_search", service="search") == Answer("[no trace fits]")

    def test_one_trace_is_its_spans_in_their_order(self, played: Played) -> None:
        played.answer("/api/traces/9bfe8376688e9116d9cbae28c0aa2db6", stores.TRACES)
        first, second = rows(ask(played, "trace", id="9BFE8376688e9116d9cbae28c0aa2db6"))
        assert (first["span"], first["parent"], first["service"]) == (
            "9b321d76f92134d2",
            "",
            "frontend",
        )
        assert (second["parent"], second["service"]) == ("9b321d76f92134d2", "search")
        assert (second["at_ms"], second["duration_ms"], second["error"]) == (2.0, 1.503, True)
        assert second["logs"] == [{"event": "exception"}]
        assert len(second["tags"]["otel.status_description"]) == 301

    def test_a_long_trace_is_cut_and_said_so(self, played: Played) -> None:
        spans = [{**stores.TRACE["spans"][1], "spanID": f"{n:016x}"} for n in range(500)]
        played.answer("/api/traces/ab", {"data": [{**stores.TRACE, "spans": spans}]})
        answer = ask(played, "trace", id="ab")
        assert answer.cut
        assert answer.text.endswith("[100 of 500 spans were cut here]")

    def test_a_trace_that_is_not_there_is_said(self, played: Played) -> None:
        played.answer("/api/traces/ab", stores.NO_TRACE, 404)
        with pytest.raises(Declined, match="trace not found"):
            ask(played, "trace", id="ab")

    @pytest.mark.parametrize("given", ["../services", "ab/../../x", "", "xyz", "a" * 33, "ab?x=1"])
    def test_an_identifier_leads_to_no_other_path(self, played: Played, given: str) -> None:
        with pytest.raises(Malformed):
            ask(played, "trace", id=given)
        assert played.asked == []

    def test_the_graph_is_who_calls_whom(self, played: Played) -> None:
        played.answer("/api/dependencies", stores.DEPENDENCIES)
        answer = ask(played, "service_graph", start=AT, end="2026-01-31T08:31:00Z")
        assert rows(answer) == [
            {"caller": "frontend", "callee": "search", "calls": 43},
            {"caller": "search", "callee": "rate", "calls": 41},
        ]
        assert played.asked == [
            ("/api/dependencies", {"endTs": "1769848260000", "lookback": "60000"})
        ]


class TestStoresThatFail:
    @pytest.mark.parametrize(
        ("status", "body"), [(503, "starting"), (302, ""), (200, "<html>"), (500, "{}")]
    )
    def test_that_is_no_answer_to_the_agents_query(
        self, played: Played, status: int, body: str
    ) -> None:
        played.answer("/api/v1/query", body, status)
        with pytest.raises(BackendFailed, match="the metrics store answered"):
            ask(played, "metrics_query", query="up")

    def test_one_that_is_away_is_told_without_its_address(self, played: Played) -> None:
        away = Prometheus("http://127.0.0.1:9")
        with pytest.raises(BackendFailed, match="does not answer: ConnectError") as caught:
            away.active()
        assert "127.0.0.1" not in str(caught.value)

    def test_an_answer_without_end_is_not_read_to_its_end(self, played: Played) -> None:
        played.answer("/select/logsql/query", "x" * (17 * 2**20))
        with pytest.raises(Declined, match="finds more than 16 MiB; narrow the query"):
            ask(played, "logs_search", query="*")
