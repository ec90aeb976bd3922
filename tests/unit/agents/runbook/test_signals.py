"""What telemetry is taken to say."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.agents.runbook import logs, signals, traces
from faultyard.agents.runbook.cluster import Cluster
from faultyard.agents.runbook.signals import Signals
from faultyard.agents.runbook.tools import Answer
from unit.agents.runbook import played
from unit.agents.runbook.played import Played


def pointed(found: Signals) -> dict[str, float]:
    return {
        name: sum(each.weight for each in evidence) for name, evidence in found.pointing.items()
    }


def gathered(**telemetry: list[dict[str, Any]]) -> Signals:
    tools = Played(played.shop(), telemetry=telemetry)
    return signals.gather(tools, Cluster(tools))


def test_an_alert_points_to_what_its_labels_name() -> None:
    down = {"alert": "PodNotReady", "state": "firing", "labels": {"pod": "cart-0"}}
    found = gathered(alerts=[down, {**down, "state": "pending", "labels": {"service": "web"}}])
    assert pointed(found) == {"cart": 2.0, "cart-0": 2.0}


def test_an_alert_that_fires_for_all_that_suffer_says_less() -> None:
    errors = {"alert": "ServiceErrors", "state": "firing", "labels": {"service": "web"}}
    assert pointed(gathered(alerts=[errors])) == {"web": 1.0}


@pytest.mark.parametrize(
    "text",
    [
        "dial tcp 10.0.0.5:8080: connect: connection refused",
        "lookup stock.shop.svc: http://stock:8080 timed out",
        '{"level":"WARN","peer":"stock","error":"deadline exceeded"}',
    ],
)
def test_log_lines_point_to_the_service_that_they_name(text: str) -> None:
    row = {"_msg": text, "kubernetes.pod_name": "cart-0"}
    found = pointed(gathered(logs_search=[row, row]))
    assert found.pop("cart", 0.5) == 0.5  # of whoever waits in vain
    assert found == {"stock": 2.0}


def test_whoever_gets_no_answer_in_time_from_anybody_may_be_slow_itself() -> None:
    texts = ["stock:8080: context deadline exceeded", "web:8080: read: i/o timeout"]
    rows = [{"_msg": text, "kubernetes.pod_name": "cart-0"} for text in texts]
    assert pointed(gathered(logs_search=rows)) == {"stock": 2.0, "web": 2.0, "cart": 1.0}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("auth error: unable to authenticate: context deadline exceeded", False),
        ("sasl conversation error: unable to authenticate: (AuthenticationFailed)", True),
        ('FATAL: password authentication failed for user "stock"', True),
        ("ERROR 1045 (28000): Access denied for user 'stock'@'10.0.0.1'", True),
    ],
)
def test_a_login_is_refused_where_it_is_said_in_so_many_words(text: str, refused: bool) -> None:
    assert bool(logs.REFUSED_LOGIN.search(text)) is refused


def test_a_line_in_which_a_program_names_itself_points_nowhere() -> None:
    row = {"_msg": "unavailable: listening at stock:8080", "pod": "stock-0"}
    assert pointed(gathered(logs_search=[row])) == {}


def test_without_a_store_logs_are_read_by_kubectl() -> None:
    def kubectl(args: list[str], _stdin: str) -> Answer:
        refused = "connect to stock:8080: connection refused\nall is well"
        return Answer(refused if args[0] == "logs" and "app=cart" in args else "")

    tools = Played(played.shop(), kubectl=kubectl)
    found = logs.errors(tools, Cluster(tools), ["shop"])
    assert [(line.workload, line.text) for line in found] == [
        ("Deployment/shop/cart", "connect to stock:8080: connection refused")
    ]


def test_the_namespace_is_the_one_that_the_alert_names() -> None:
    other = [*played.shop(), *played.deployment("shipping")]
    other[-1]["metadata"]["namespace"] = other[-3]["metadata"]["namespace"] = "parcels"
    seen = Cluster(Played(other))
    assert signals.concerned("The shop runs in the namespace shop.", seen) == ["shop"]
    assert signals.concerned("Requests fail.", seen) == ["parcels", "shop"]


def span(name: str, service: str, parent: str = "", **more: Any) -> dict[str, Any]:
    kind = more.pop("kind", "server")
    tags = {"span.kind": kind, **more.pop("tags", {})}
    return {"span": name, "parent": parent, "service": service, "tags": tags, **more}


def traced(*spans: dict[str, Any], slow: bool = False) -> list[tuple[str, float]]:
    rows = {"errors": ["web get"], "id": "ab"}
    telemetry: dict[str, list[dict[str, Any]]] = {
        "service_graph": [{"caller": "web", "callee": "cart"}],
        "traces_search": [rows],
        "trace": list(spans),
    }
    tools = Played([], telemetry=telemetry)
    return [
        (name, weight) for name, said, weight in traces.pointing(tools) if slow == ("ms" in said)
    ]


def test_the_call_in_which_the_error_begins_points_to_its_other_side() -> None:
    calls = {"kind": "client", "error": True, "tags": {"server.address": "stock:8080"}}
    found = traced(
        span("1", "web", error=True),
        span("2", "cart", "1", error=True),
        span("3", "cart", "2", **calls),
    )
    assert found == [("stock", 2.5)]


def test_an_error_that_begins_in_a_service_points_to_it() -> None:
    found = traced(span("1", "web", error=True), span("2", "stock", "1", error=True))
    assert found == [("stock", 2.0)]


def test_the_span_that_spends_the_time_itself_is_the_slow_one() -> None:
    found = traced(
        span("1", "web", duration_ms=1000),
        span("2", "cart", "1", duration_ms=990),
        span("3", "stock", "2", duration_ms=100),
        slow=True,
    )
    assert found == [("cart", 2.0)]


def test_success_is_the_share_of_good_outcomes() -> None:
    rows = [{"labels": {"outcome": name}, "value": n} for name, n in (("ok", "9"), ("failed", "1"))]
    assert gathered(metrics_query=rows).success == pytest.approx(0.9)
    assert gathered(metrics_query=[]).success is None


@pytest.mark.parametrize(
    ("alert", "impact"),
    [
        ("Customers' requests are failing.", "requests_fail"),
        (
            "Requests take longer than a second at p99: latency is above its objective.",
            "requests_slow",
        ),
        ("Please look at the cluster.", "none"),
    ],
)
def test_the_impact_is_what_the_page_says(alert: str, impact: str) -> None:
    assert Signals(alert).impact == impact
