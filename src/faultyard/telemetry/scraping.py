"""What Prometheus reads, how often, and which metrics of it are kept.

Sources tell many times more than anybody asks for: what is not named here is dropped, since each
series costs memory in every cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from faultyard.clusters.embedded import layout

Config = dict[str, Any]

APPLICATION_EVERY = "5s"
OBJECTS_EVERY = "10s"
PLATFORM_EVERY = "15s"
API_SERVER_EVERY = "30s"
"""It answers with megabytes."""
CONTAINERS_EVERY = "10s"
"""The kubelet looks at its containers no more often."""
DISCOVERED_EVERY = "5s"
RULES_EVERY = "10s"

API_SERVER = (
    "apiserver_(request_total|request_duration_seconds_(sum|count)|current_inflight_requests|"
    "admission_webhook_(request_total|rejection_count|admission_duration_seconds_(sum|count)))|"
    "process_(cpu_seconds_total|resident_memory_bytes)"
)
KUBELET = (
    "kubelet_(node_name|running_(pods|containers)|volume_stats_.*|evictions|"
    "runtime_operations_(total|errors_total)|pleg_relist_duration_seconds_(sum|count)|"
    "pod_start_duration_seconds_(sum|count)|pod_worker_duration_seconds_(sum|count))|"
    "rest_client_requests_total|storage_operation_duration_seconds_count|"
    "process_(cpu_seconds_total|resident_memory_bytes)"
)
CONTAINERS = (
    "container_(cpu_(usage_seconds_total|cfs_(periods|throttled_periods|throttled_seconds)_total)|"
    "memory_(working_set_bytes|rss|cache|failcnt)|oom_events_total|"
    "network_(receive|transmit)_(bytes|packets|errors|packets_dropped)_total|"
    "fs_(usage_bytes|reads_bytes_total|writes_bytes_total)|"
    "spec_(cpu_quota|cpu_period|memory_limit_bytes)|start_time_seconds|threads|processes)"
)
CONTAINER_SCOPES = "/|/kubepods.*|/system\\.slice/[^/]+"
"""The node as a whole, pods and containers, and the node's own units."""
DNS = (
    "coredns_(dns_(requests|responses)_total|dns_request_duration_seconds_.*|"
    "forward_(requests_total|responses_total|request_duration_seconds_(sum|count)|"
    "healthcheck_failures_total)|cache_(hits|misses)_total|panics_total|build_info|"
    "kubernetes_dns_programming_duration_seconds_(sum|count))"
)
RUNTIME = (
    "go_(gc|memstats|sched|cgo|cpu|godebug|sync|threads|info).*|promhttp_.*|process_network_.*"
)
"""What every Go program tells of its runtime, beside its goroutines; dropped."""


def configuration(pki: Path, rules: Path, synthetic: Path) -> Config:
    """The content of prometheus.yml.

    Args:
        pki: has ca.crt and the key pair `prometheus`.
        rules: the file of the alert rules.
        synthetic: the file that names the load's metrics once there is a load.
    """
    tls = {
        "ca_file": f"{pki}/ca.crt",
        "cert_file": f"{pki}/prometheus.crt",
        "key_file": f"{pki}/prometheus.key",
    }
    return {
        "global": {
            "scrape_interval": PLATFORM_EVERY,
            "scrape_timeout": "5s",
            "evaluation_interval": RULES_EVERY,
        },
        "rule_files": [str(rules)],
        "scrape_configs": [
            _api_server(tls),
            _kubelets("kubelet", "/metrics", PLATFORM_EVERY, tls, [_kept(KUBELET)]),
            _kubelets(
                "cadvisor",
                "/metrics/cadvisor",
                CONTAINERS_EVERY,
                tls,
                [_kept(CONTAINERS), _relabel(["id"], CONTAINER_SCOPES, "keep")],
            ),
            _machines(),
            _dns(),
            _pods(),
            _objects(),
            _synthetic(synthetic),
        ],
    }


def _relabel(sources: Sequence[str], regex: str, action: str, **more: str) -> Config:
    return {"source_labels": list(sources), "regex": regex, "action": action, **more}


def _kept(names: str) -> Config:
    return _relabel(["__name__"], names, "keep")


def _set(target: str, source: str, regex: str = "(.+)") -> Config:
    return _relabel([source], regex, "replace", target_label=target)


def _discovered(what: str) -> list[Config]:
    # Debian's Prometheus is built without the discovery of Kubernetes.
    url = f"http://{layout.OBJECT_METRICS}/targets/{what}"
    return [{"url": url, "refresh_interval": DISCOVERED_EVERY}]


def _api_server(tls: Mapping[str, str]) -> Config:
    return {
        "job_name": "apiserver",
        "scheme": "https",
        "scrape_interval": API_SERVER_EVERY,
        "scrape_timeout": "10s",
        "tls_config": dict(tls),
        "static_configs": [{"targets": [f"{layout.GATEWAY}:{layout.API_PORT}"]}],
        "metric_relabel_configs": [_kept(API_SERVER)],
    }


def _kubelets(
    job: str, path: str, every: str, tls: Mapping[str, str], kept: Sequence[Config]
) -> Config:
    return {
        "job_name": job,
        "scheme": "https",
        "metrics_path": path,
        "scrape_interval": every,
        "tls_config": dict(tls),
        "http_sd_configs": _discovered("nodes"),
        "relabel_configs": [_set("node", "__meta_kubernetes_node_name")],
        "metric_relabel_configs": list(kept),
    }


def _machines() -> Config:
    port = layout.MACHINE_METRICS_PORT
    address = _relabel(
        ["__meta_kubernetes_node_address_InternalIP"],
        "(.+)",
        "replace",
        target_label="__address__",
        replacement=f"$1:{port}",
    )
    return {
        "job_name": "node-exporter",
        "http_sd_configs": _discovered("nodes"),
        "relabel_configs": [address, _set("node", "__meta_kubernetes_node_name")],
        "metric_relabel_configs": [_kept("node_.*")],
    }


_OF_A_POD = (
    _set("namespace", "__meta_kubernetes_namespace"),
    _set("pod", "__meta_kubernetes_pod_name"),
    _set("node", "__meta_kubernetes_pod_node_name"),
)


def _dns() -> Config:
    return {
        "job_name": "coredns",
        "http_sd_configs": _discovered("pods"),
        "relabel_configs": [
            _relabel(["__meta_kubernetes_pod_label_k8s_app"], "kube-dns", "keep"),
            _relabel(["__meta_kubernetes_pod_container_port_name"], "metrics", "keep"),
            *_OF_A_POD,
        ],
        "metric_relabel_configs": [_kept(DNS)],
    }


def _pods() -> Config:
    annotation = "__meta_kubernetes_pod_annotation_prometheus_io_"
    address = _relabel(
        ["__meta_kubernetes_pod_ip", f"{annotation}port"],
        "(.+);(.+)",
        "replace",
        target_label="__address__",
        replacement="$1:$2",
    )
    return {
        "job_name": "pods",
        "scrape_interval": APPLICATION_EVERY,
        "scrape_timeout": "3s",
        "http_sd_configs": _discovered("pods"),
        "relabel_configs": [
            _relabel([f"{annotation}scrape"], "true", "keep"),
            _relabel(["__meta_kubernetes_pod_phase"], "Pending|Succeeded|Failed", "drop"),
            address,
            _set("__metrics_path__", f"{annotation}path"),
            *_OF_A_POD,
            _set("service", "__meta_kubernetes_pod_label_app_kubernetes_io_name"),
        ],
        "metric_relabel_configs": [_relabel(["__name__"], RUNTIME, "drop")],
    }


def _objects() -> Config:
    return {
        "job_name": "kube-state-metrics",
        "scrape_interval": OBJECTS_EVERY,
        # Its labels name the objects that it tells of, not itself.
        "honor_labels": True,
        "static_configs": [
            {"targets": [layout.OBJECT_METRICS], "labels": {"instance": "kube-state-metrics"}}
        ],
        "metric_relabel_configs": [_kept("kube_.*")],
    }


def _synthetic(file: Path) -> Config:
    return {
        "job_name": "synthetic",
        "scrape_interval": APPLICATION_EVERY,
        "scrape_timeout": "3s",
        "file_sd_configs": [{"files": [str(file)], "refresh_interval": "1m"}],
        "metric_relabel_configs": [_kept("client_.*")],
    }


def synthetic_targets() -> list[Config]:
    """The file that names the load's metrics."""
    return [{"targets": [layout.CLIENT_METRICS], "labels": {"instance": "edge"}}]
