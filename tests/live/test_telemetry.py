"""The telemetry of a running cell: every signal comes, and nothing but the tools can ask for it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import httpx
import pytest

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.waiting import wait_for
from faultyard.telemetry import site
from faultyard.tools.backends import Alerts, Logs, Metrics, Trace, TraceQuery, Traces
from faultyard.trials import stores
from live import kube, loads
from live.shared import Deployed

pytestmark = pytest.mark.cost(5)

WAIT_S = 90
POD = "asker"

METRICS = (
    'apiserver_request_total{verb="LIST"}',
    'kubelet_running_pods{node="worker-1"}',
    'container_cpu_usage_seconds_total{namespace="hotel",container="geo"}',
    'container_cpu_cfs_periods_total{namespace="hotel",container="geo"}',
    'container_memory_working_set_bytes{namespace="hotel",container="mongodb"}',
    'container_network_receive_bytes_total{namespace="hotel"}',
    'container_cpu_usage_seconds_total{id="/",node="worker-2"}',
    'node_systemd_unit_state{node="worker-1",name="kubelet.service",state="active"} == 1',
    'node_filesystem_avail_bytes{node="worker-2",mountpoint="/"}',
    'coredns_dns_requests_total{namespace="kube-system"}',
    'requests_total{service="geo",code="OK"} > 0',
    'client_requests_total{service="search",peer="geo",code="OK"} > 0',
    'client_journeys_total{journey="search",outcome="ok"} > 0',
    'client_journey_duration_seconds_bucket{journey="login",le="1"} > 0',
    'kube_deployment_status_replicas_available{namespace="hotel",deployment="search"} == 2',
    'kube_pod_status_ready{namespace="hotel",condition="true"} == 1',
    'kube_node_status_condition{condition="Ready",status="true"} == 1',
    'kube_endpoint_ports{namespace="hotel",endpoint="geo",port_number="8083"}',
)
"""One of each kind, and the labels by which it is asked for."""

LOGS = (
    '{kubernetes.pod_namespace="hotel"} kubernetes.container_name:="geo" level:="INFO"',
    '{kubernetes.pod_namespace="kube-system"} kubernetes.pod_name:="coredns"*',
    'kubernetes.pod_node_name:="worker-2"',
    '_HOSTNAME:="worker-1" _SYSTEMD_UNIT:="kubelet.service"',
    '_HOSTNAME:="worker-2" _SYSTEMD_UNIT:="containerd.service"',
)


@pytest.fixture(scope="module")
def used(
    hotel: Deployed, artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    """The application with its users; the thread is in the cell's network."""
    folder = tmp_path_factory.mktemp("load")
    load = loads.generator(hotel.cell, hotel.application, artifacts, folder)
    load.start()
    site.watch_users(hotel.cell)
    try:
        with hotel.cell.entered():
            yield hotel
    finally:
        load.stop()


@pytest.fixture
def metrics(used: Deployed) -> Metrics:
    found = stores.backends().metrics
    assert found
    return found


@pytest.fixture
def logs(used: Deployed) -> Logs:
    found = stores.backends().logs
    assert found
    return found


@pytest.fixture
def traces(used: Deployed) -> Traces:
    found = stores.backends().traces
    assert found
    return found


@pytest.fixture
def alerts(used: Deployed) -> Alerts:
    found = stores.backends().alerts
    assert found
    return found


def test_metrics_of_every_kind_come(metrics: Metrics) -> None:
    missing = list(METRICS)

    def look() -> tuple[bool | None, str]:
        missing[:] = [query for query in missing if not metrics.instant(query, time.time())]
        return (None if missing else True), f"no series: {missing}"

    wait_for("metrics of every kind", look, timeout_s=WAIT_S, every_s=2)


def test_every_target_is_up(metrics: Metrics) -> None:
    def look() -> tuple[bool | None, str]:
        down = [dict(series.labels) for series in metrics.instant("up == 0", time.time())]
        return (None if down else True), f"down: {down}"

    wait_for("every target", look, timeout_s=WAIT_S, every_s=2)
    jobs = {s.labels["job"] for s in metrics.instant("count by (job) (up)", time.time())}
    assert len(jobs) == 8


def test_no_label_names_what_the_cell_is_for(metrics: Metrics) -> None:
    names = {s.labels.get("instance", "") for s in metrics.instant("up", time.time())}
    assert not [name for name in names if name.startswith("127.")]


def test_a_trace_goes_through_the_services(used: Deployed, traces: Traces) -> None:
    def look() -> tuple[Trace | None, str]:
        now = time.time()
        found = traces.search(TraceQuery("frontend", now - 300, now, limit=50))
        widest = max(found, key=_width, default=None)
        if widest is None or _width(widest) < 4:
            return None, f"{len(found)} traces, the widest has {widest and _width(widest)} services"
        return widest, ""

    trace = wait_for("a trace across services", look, timeout_s=WAIT_S, every_s=1)
    assert traces.trace(trace.id).id == trace.id
    description = used.application.description
    services = {each.name for each in description.services if each.role == "service"}
    known = {(edge.from_, edge.to) for edge in description.dependencies if edge.to in services}

    def graph() -> tuple[set[tuple[str, str]] | None, str]:
        now = time.time()
        calls = {(call.caller, call.callee) for call in traces.dependencies(now - 600, now)}
        return (calls if known <= calls else None), f"lacks {known - calls}"

    wait_for("the dependency graph", graph, timeout_s=WAIT_S, every_s=2)


def _width(trace: Trace) -> int:
    return len({span.service for span in trace.spans})


def test_lines_of_containers_and_of_nodes_units_come(logs: Logs) -> None:
    missing = list(LOGS)

    def look() -> tuple[bool | None, str]:
        now = time.time()
        missing[:] = [query for query in missing if not logs.search(query, now - 3600, now, 5)]
        return (None if missing else True), f"no line: {missing}"

    wait_for("log lines of every kind", look, timeout_s=WAIT_S, every_s=2)


def test_rules_are_evaluated_and_no_alert_is_active_when_all_is_well(alerts: Alerts) -> None:
    def look() -> tuple[bool | None, str]:
        active = [(alert.state, dict(alert.labels)) for alert in alerts.active()]
        return (None if active else True), f"active: {active}"

    wait_for("no alert", look, timeout_s=2 * WAIT_S, every_s=2)
    answer = httpx.get(f"http://{layout.METRICS}/api/v1/rules", trust_env=False).json()
    loaded = [rule for group in answer["data"]["groups"] for rule in group["rules"]]
    assert {rule["health"] for rule in loaded} == {"ok"}
    assert len(loaded) == 12


def test_pods_and_nodes_reach_what_takes_in_but_nothing_that_answers(used: Deployed) -> None:
    cell = used.cell
    asked = [f"{layout.GATEWAY}:{address.partition(':')[2]}" for address in _questions()]
    kept = f"{layout.GATEWAY}:{layout.LOGS_PORT}"
    pages = ("flags", "metrics", "debug/pprof/cmdline", "select/logsql/query?query=*")
    script = (
        "code() { curl -s -o /dev/null -m 3 -w '%{http_code} ' \"http://$1\"; }; "
        + "; ".join(f"code '{address}/'" for address in asked)
        + f"; echo; code '{kept}/health'; "
        + "; ".join(f"code '{kept}/{page}'" for page in pages)
        + "; true"
    )
    kube.apply(cell, kube.toolbox_pod(POD))
    kube.wait_pod_ready(cell, POD)
    in_pod = kube.kubectl(cell, "exec", POD, "--", "sh", "-c", script)
    on_node = cell.node("worker-1").run(["sh", "-c", script])
    kube.kubectl(cell, "delete", "pod", POD, "--grace-period=0", "--force")
    for said in (in_pod, on_node):
        refused, answered = (line.split() for line in said.strip().splitlines())
        assert refused == ["000"] * len(asked)
        assert answered == ["200", "401", "401", "401", "400"]


def _questions() -> Sequence[str]:
    loopback = "127.0.0.1"
    jaeger = [f"{loopback}:{port}" for port in (4318, 14250, 14268, 14269, 16685)]
    own = [layout.METRICS, layout.TRACES, layout.LOGS, layout.OBJECT_METRICS, layout.CLIENT_METRICS]
    return [*own, *jaeger]
