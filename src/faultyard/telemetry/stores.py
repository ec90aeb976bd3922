"""The telemetry's processes in the cell: what is started with which settings.

Whatever answers questions listens on the cell's loopback, which neither pods nor nodes reach; on
the gateway's address listens what only takes in. They are nicer than the application that they
watch: on a busy host they are late rather than it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faultyard.clusters.embedded import layout

KEPT = "3h"
"""How long metrics are kept."""
KEPT_TRACES = 8_000
"""About half an hour of them, and 150 MB."""
NICENESS = 5


@dataclass(frozen=True)
class Process:
    """One of the telemetry's processes."""

    name: str
    argv: Sequence[str]
    health: str
    """The URL that answers once it serves."""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        """Program and arguments, as it is started."""
        return ["nice", "-n", str(NICENESS), *self.argv]


def prometheus(binary: Path, config: Path, data: Path) -> Process:
    """Metrics and alert rules."""
    argv = [
        str(binary),
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        f"--storage.tsdb.retention.time={KEPT}",
        f"--web.listen-address={layout.METRICS}",
        # Else alerts carry the host's name.
        "--web.external-url=http://prometheus.meridian.internal",
        "--query.timeout=15s",
        "--query.max-concurrency=4",
        "--log.level=warn",
    ]
    return Process("prometheus", argv, f"http://{layout.METRICS}/-/ready", {"GOGC": "60"})


def object_metrics(binary: Path, kubeconfig: Path) -> Process:
    """Metrics of the cluster's objects."""
    argv = [str(binary), f"--kubeconfig={kubeconfig}", f"--listen={layout.OBJECT_METRICS}"]
    return Process("object-metrics", argv, f"http://{layout.OBJECT_METRICS}/metrics")


def jaeger(binary: Path) -> Process:
    """Traces, in memory."""
    loopback = "127.0.0.1"
    argv = [
        str(binary),
        f"--memory.max-traces={KEPT_TRACES}",
        f"--collector.otlp.grpc.host-port={layout.GATEWAY}:{layout.TRACES_PORT}",
        f"--collector.otlp.http.host-port={loopback}:4318",
        f"--collector.grpc-server.host-port={loopback}:14250",
        f"--collector.http-server.host-port={loopback}:14268",
        f"--query.http-server.host-port={layout.TRACES}",
        f"--query.grpc-server.host-port={loopback}:16685",
        "--query.max-clock-skew-adjustment=0s",
        f"--admin.http.host-port={loopback}:14269",
        "--log-level=warn",
    ]
    environment = {
        "SPAN_STORAGE_TYPE": "memory",
        "OTEL_TRACES_SAMPLER": "always_off",  # of itself
        "GOGC": "60",
    }
    return Process("jaeger", argv, f"http://{layout.TRACES}/api/services", environment)


def victoria_logs(binary: Path, data: Path) -> Process:
    """Log lines."""
    argv = [
        str(binary),
        f"-storageDataPath={data}",
        "-retentionPeriod=1d",
        "-retention.maxDiskSpaceUsageBytes=1GiB",
        f"-httpListenAddr={layout.LOGS}",
        "-memory.allowedBytes=64MiB",
        "-search.maxQueryDuration=15s",
        "-loggerLevel=WARN",
    ]
    return Process("victoria-logs", argv, f"http://{layout.LOGS}/health")


def log_gateway(binary: Path, data: Path) -> Process:
    """Takes log lines from nodes and hands them on: the store itself would answer questions too.

    Its own pages on flags, metrics and profiles ask for a key that nobody has.
    """
    key = secrets.token_urlsafe(24)
    shut = [f"-{page}AuthKey={key}" for page in ("flags", "metrics", "pprof")]
    argv = [
        str(binary),
        f"-httpListenAddr={layout.GATEWAY}:{layout.LOGS_PORT}",
        f"-remoteWrite.url=http://{layout.LOGS}/internal/insert",
        f"-tmpDataPath={data}",
        "-remoteWrite.maxDiskUsagePerURL=512MiB",
        "-memory.allowedBytes=32MiB",
        "-http.header.disableServerHostname",
        "-journald.streamFields=_HOSTNAME,_SYSTEMD_UNIT",
        "-loggerLevel=WARN",
        *shut,
    ]
    health = f"http://{layout.GATEWAY}:{layout.LOGS_PORT}/health"
    return Process("log-gateway", argv, health)
