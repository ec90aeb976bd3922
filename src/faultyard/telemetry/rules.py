"""Alert rules: symptoms that users or the cluster show, whatever the application is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from faultyard.model.application import Application

SERVER_ERRORS = (
    "5..|Unknown|DeadlineExceeded|ResourceExhausted|Aborted|Unimplemented|Internal|"
    "Unavailable|DataLoss"
)
"""Codes of HTTP and gRPC that say that the server failed."""
SHARE_OF_ERRORS = 0.02
SHARE_OF_THROTTLED = 0.25
SHARE_OF_MEMORY = 0.9
SERVICE_P99_S = 0.5
LEAST_FAILURES = 3
"""So many in a minute before a share of failures says anything."""


@dataclass(frozen=True)
class Rule:
    """One alert."""

    name: str
    expression: str
    severity: str
    """`critical` pages somebody, `warning` waits."""
    summary: str
    lasting: str = "30s"
    """How long it has to hold before it fires."""
    namespace: str = ""
    """For what is not about an object: the namespace of the application."""

    def document(self) -> dict[str, Any]:
        """As Prometheus reads it."""
        labels = {"severity": self.severity}
        if self.namespace:
            labels["namespace"] = self.namespace
        return {
            "alert": self.name,
            "expr": self.expression,
            "for": self.lasting,
            "labels": labels,
            "annotations": {"summary": self.summary},
        }


def document(application: Application | None) -> dict[str, Any]:
    """The content of the file of rules.

    Args:
        application: whose objectives users' alerts have; without one there are no such alerts.
    """
    groups = {
        "cluster": _cluster(),
        "workloads": (*_pods(), *_availability(), *_saturation()),
        "services": _services(),
    }
    if application is not None:
        groups["users"] = _users(application)
    return {
        "groups": [
            {"name": name, "rules": [rule.document() for rule in rules]}
            for name, rules in groups.items()
        ]
    }


def _users(application: Application) -> Sequence[Rule]:
    slos, namespace = application.slos, application.namespace
    total = "sum by (journey) (rate(client_journeys_total[1m]))"
    failed = 'client_journeys_total{outcome="failed"}[1m]'
    enough = "client_journey_duration_seconds_count[2m]"
    limit = f"{slos.p99_ms / 1000:g}"
    return (
        Rule(
            "SuccessRateLow",
            f"sum by (journey) (rate({failed})) / {total} > {1 - slos.success_rate:.6g}"
            f" and sum by (journey) (increase({failed})) >= {LEAST_FAILURES}",
            "critical",
            "{{ $value | humanizePercentage }} of users' visits ({{ $labels.journey }}) fail; the "
            f"objective is {slos.success_rate:.6g} successful",
            lasting="20s",
            namespace=namespace,
        ),
        Rule(
            "LatencyHigh",
            "histogram_quantile(0.99, sum by (journey, le) "
            f"(rate(client_journey_duration_seconds_bucket[2m]))) > {limit}"
            f" and sum by (journey) (increase({enough})) >= 50",
            "critical",
            "99th percentile of users' visits ({{ $labels.journey }}) takes "
            f"{{{{ $value | humanizeDuration }}}}; the objective is {limit}s",
            namespace=namespace,
        ),
    )


def _services() -> Sequence[Rule]:
    failed = f'requests_total{{code=~"{SERVER_ERRORS}"}}[1m]'
    by = "sum by (namespace, service)"
    return (
        Rule(
            "ServiceErrors",
            f"{by} (rate({failed})) / {by} (rate(requests_total[1m])) > {SHARE_OF_ERRORS}"
            f" and {by} (increase({failed})) >= {LEAST_FAILURES}",
            "critical",
            "{{ $labels.service }} answers {{ $value | humanizePercentage }} of its requests with "
            "an error of its own",
            lasting="20s",
        ),
        Rule(
            "ServiceLatencyHigh",
            "histogram_quantile(0.99, sum by (namespace, service, le) "
            f"(rate(requests_duration_seconds_bucket[2m]))) > {SERVICE_P99_S}"
            f" and {by} (increase(requests_duration_seconds_count[2m])) >= 50",
            "warning",
            "99th percentile of {{ $labels.service }}'s answers takes "
            "{{ $value | humanizeDuration }}",
        ),
    )


def _pods() -> Sequence[Rule]:
    return (
        Rule(
            "PodRestarting",
            "increase(kube_pod_container_status_restarts_total[5m]) > 0",
            "warning",
            "{{ $labels.namespace }}/{{ $labels.pod }}: {{ $labels.container }} was restarted",
            lasting="0s",
        ),
        Rule(
            "PodNotReady",
            'max by (namespace, pod) (kube_pod_status_ready{condition="true"}) == 0 unless on '
            '(namespace, pod) kube_pod_status_phase{phase=~"Succeeded|Failed"} == 1',
            "warning",
            "{{ $labels.namespace }}/{{ $labels.pod }} is not ready",
        ),
    )


def _availability() -> Sequence[Rule]:
    return (
        Rule(
            "WorkloadUnavailable",
            _of_workload(
                "kube_deployment_status_replicas_available < kube_deployment_spec_replicas",
                "Deployment",
            )
            + " or "
            + _of_workload(
                "kube_statefulset_status_replicas_available < kube_statefulset_replicas",
                "StatefulSet",
            )
            + " or "
            + _of_workload("kube_daemonset_status_number_unavailable > 0", "DaemonSet"),
            "critical",
            "{{ $labels.namespace }}: {{ $labels.workload }} has fewer available pods than it "
            "should",
        ),
        Rule(
            "EndpointsMissing",
            "count by (namespace, service) (kube_endpointslice_info) unless count by (namespace, "
            'service) (label_replace(kube_endpoint_address{ready="true"}, "service", "$1", '
            '"endpoint", "(.+)"))',
            "critical",
            "the service {{ $labels.namespace }}/{{ $labels.service }} has no ready endpoint",
        ),
    )


def _saturation() -> Sequence[Rule]:
    return (
        Rule(
            "CpuThrottling",
            _share("cpu_cfs_throttled_periods_total", "cpu_cfs_periods_total")
            + f" > {SHARE_OF_THROTTLED}",
            "warning",
            "{{ $labels.namespace }}/{{ $labels.pod }}: {{ $labels.container }} is held back by "
            "its CPU limit in {{ $value | humanizePercentage }} of periods",
        ),
        Rule(
            "MemoryNearLimit",
            'max by (namespace, pod, container) (container_memory_working_set_bytes{container!=""})'
            " / on (namespace, pod, container) max by (namespace, pod, container) "
            f'(kube_pod_container_resource_limits{{resource="memory"}}) > {SHARE_OF_MEMORY}',
            "warning",
            "{{ $labels.namespace }}/{{ $labels.pod }}: {{ $labels.container }} uses "
            "{{ $value | humanizePercentage }} of its memory limit",
        ),
    )


def _of_workload(expression: str, kind: str) -> str:
    label = kind.lower()
    return f'label_replace({expression}, "workload", "{kind}/$1", "{label}", "(.+)")'


def _share(part: str, whole: str) -> str:
    by, of = "sum by (namespace, pod, container)", '{container!=""}[1m]'
    return f"{by} (rate(container_{part}{of})) / {by} (rate(container_{whole}{of}))"


def _cluster() -> Sequence[Rule]:
    return (
        Rule(
            "NodeNotReady",
            'kube_node_status_condition{condition="Ready",status="true"} == 0',
            "critical",
            "the node {{ $labels.node }} is not ready",
            lasting="10s",
        ),
        Rule(
            "TargetDown",
            "up == 0",
            "warning",
            "metrics of {{ $labels.job }} {{ $labels.instance }} cannot be read",
        ),
    )
