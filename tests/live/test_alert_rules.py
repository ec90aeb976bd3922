"""The alert rules on metrics that are made up, evaluated by Prometheus' own tool."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from faultyard.apps import applications
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.telemetry import rules

pytestmark = pytest.mark.cost(1)

POD = 'namespace="hotel",pod="geo-1"'
CONTAINER = f'{POD},container="geo"'
USERS = "client_journeys_total"


@dataclass(frozen=True)
class Case:
    """Metrics every ten seconds, and the alert that they raise after four minutes."""

    alert: str
    series: dict[str, str]
    labels: dict[str, str] = field(default_factory=dict)
    """Beside severity; the alert must not fire when there are none."""


CASES = (
    Case(
        "SuccessRateLow",
        {
            f'{USERS}{{journey="login",outcome="ok"}}': "0+20x30",
            f'{USERS}{{journey="login",outcome="failed"}}': "0+1x30",
        },
        {"journey": "login", "namespace": "hotel"},
    ),
    Case(
        "SuccessRateLow",
        {
            f'{USERS}{{journey="login",outcome="ok"}}': "0+20x30",
            f'{USERS}{{journey="login",outcome="failed"}}': "0 0 1 1x27",
        },
    ),
    Case(
        "LatencyHigh",
        {
            f'client_journey_duration_seconds_{suffix}journey="login"{bound}}}': f"0+{step}x30"
            for suffix, bound, step in (
                ("bucket{", ',le="1"', 19),
                ("bucket{", ',le="2"', 20),
                ("bucket{", ',le="+Inf"', 20),
                ("count{", "", 20),
            )
        },
        {"journey": "login", "namespace": "hotel"},
    ),
    Case(
        "ServiceErrors",
        {
            f'requests_total{{{POD},service="geo",code="OK"}}': "0+20x30",
            f'requests_total{{{POD},service="geo",code="Unavailable"}}': "0+1x30",
        },
        {"namespace": "hotel", "service": "geo"},
    ),
    Case(
        "ServiceErrors",
        {
            f'requests_total{{{POD},service="geo",code="OK"}}': "0+20x30",
            f'requests_total{{{POD},service="geo",code="NotFound"}}': "0+5x30",
        },
    ),
    Case(
        "ServiceLatencyHigh",
        {
            f'requests_duration_seconds_{suffix}service="geo",namespace="hotel"{bound}}}': (
                f"0+{step}x30"
            )
            for suffix, bound, step in (
                ("bucket{", ',le="0.5"', 19),
                ("bucket{", ',le="1"', 20),
                ("bucket{", ',le="+Inf"', 20),
                ("count{", "", 20),
            )
        },
        {"namespace": "hotel", "service": "geo"},
    ),
    Case(
        "PodRestarting",
        {f"kube_pod_container_status_restarts_total{{{CONTAINER}}}": "0x12 1x20"},
        {"namespace": "hotel", "pod": "geo-1", "container": "geo"},
    ),
    Case(
        "PodNotReady",
        {
            f'kube_pod_status_ready{{{POD},condition="true"}}': "0x30",
            f'kube_pod_status_phase{{{POD},phase="Running"}}': "1x30",
            f'kube_pod_status_phase{{{POD},phase="Succeeded"}}': "0x30",
        },
        {"namespace": "hotel", "pod": "geo-1"},
    ),
    Case(
        "PodNotReady",
        {
            f'kube_pod_status_ready{{{POD},condition="true"}}': "0x30",
            f'kube_pod_status_phase{{{POD},phase="Succeeded"}}': "1x30",
        },
    ),
    Case(
        "WorkloadUnavailable",
        {
            'kube_deployment_status_replicas_available{namespace="hotel",deployment="geo"}': "1x30",
            'kube_deployment_spec_replicas{namespace="hotel",deployment="geo"}': "2x30",
        },
        {"namespace": "hotel", "deployment": "geo", "workload": "Deployment/geo"},
    ),
    Case(
        "EndpointsMissing",
        {
            'kube_endpointslice_info{namespace="hotel",service="geo"}': "1x30",
            'kube_endpoint_address{namespace="hotel",endpoint="geo",ip="10.0.0.1",ready="false"}': (
                "1x30"
            ),
        },
        {"namespace": "hotel", "service": "geo"},
    ),
    Case(
        "EndpointsMissing",
        {
            'kube_endpointslice_info{namespace="hotel",service="geo"}': "1x30",
            'kube_endpoint_address{namespace="hotel",endpoint="geo",ip="10.0.0.1",ready="true"}': (
                "1x30"
            ),
        },
    ),
    Case(
        "CpuThrottling",
        {
            f"container_cpu_cfs_periods_total{{{CONTAINER}}}": "0+100x30",
            f"container_cpu_cfs_throttled_periods_total{{{CONTAINER}}}": "0+40x30",
        },
        {"namespace": "hotel", "pod": "geo-1", "container": "geo"},
    ),
    Case(
        "MemoryNearLimit",
        {
            f"container_memory_working_set_bytes{{{CONTAINER}}}": "95x30",
            f'kube_pod_container_resource_limits{{{CONTAINER},resource="memory"}}': "100x30",
        },
        {"namespace": "hotel", "pod": "geo-1", "container": "geo"},
    ),
    Case(
        "NodeNotReady",
        {
            'kube_node_status_condition{node="w-2",condition="Ready",status="true"}': "1x20 0x9",
        },
        {"node": "w-2", "condition": "Ready", "status": "true"},
    ),
    Case(
        "TargetDown",
        {'up{job="pods",instance="10.0.0.1:90"}': "0x30"},
        {"job": "pods", "instance": "10.0.0.1:90"},
    ),
)


def test_every_alert_fires_on_its_symptom_and_on_nothing_near_it(
    artifacts: Artifacts, tmp_path: Path
) -> None:
    document = rules.document(applications.find("hotel").description)
    alerts = {rule["alert"]: rule for group in document["groups"] for rule in group["rules"]}
    assert {case.alert for case in CASES if case.labels} == set(alerts)
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(document))
    tests = [_test(case, alerts[case.alert]) for case in CASES]
    written = {"rule_files": ["rules.yml"], "evaluation_interval": "10s", "tests": tests}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(written))
    promtool = artifacts.binary("prometheus").with_name("promtool")
    done = subprocess.run(
        [str(promtool), "test", "rules", "tests.yml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _test(case: Case, rule: dict[str, Any]) -> dict[str, Any]:
    series = [{"series": name, "values": values} for name, values in case.series.items()]
    labels = {**rule["labels"], **case.labels}
    # Annotations are compared too, so the alert itself is asked for, which has none.
    value = f"ALERTS{_labels({'alertname': case.alert, 'alertstate': 'firing', **labels})}"
    samples = [{"labels": value, "value": 1}] if case.labels else []
    asked = f'ALERTS{{alertname="{case.alert}",alertstate="firing"}}'
    return {
        "interval": "10s",
        "input_series": series,
        "promql_expr_test": [{"expr": asked, "eval_time": "4m", "exp_samples": samples}],
    }


def _labels(of: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in of.items()) + "}"
