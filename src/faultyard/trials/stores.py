"""The stores of a cell's telemetry, as the tools ask them."""

from __future__ import annotations

from faultyard.clusters.embedded import layout
from faultyard.tools.adapters.jaeger import Jaeger
from faultyard.tools.adapters.prometheus import Prometheus
from faultyard.tools.adapters.victorialogs import VictoriaLogs
from faultyard.tools.backends import Backends


def backends() -> Backends:
    """The stores; their addresses are valid in the network of every cell, on its loopback."""
    metrics = Prometheus(f"http://{layout.METRICS}")
    return Backends(
        metrics=metrics,
        alerts=metrics,
        logs=VictoriaLogs(f"http://{layout.LOGS}"),
        traces=Jaeger(f"http://{layout.TRACES}"),
    )
