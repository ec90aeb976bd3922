"""What telemetry says of the incident: alerts, error logs, failing traces, users' success.

Every source may be missing. What is left of an answer that cannot be used is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import logs, traces
from .cluster import SYSTEM, Cluster
from .evidence import Evidence
from .logs import Line
from .tools import Tools

LABELS = ("service", "workload", "deployment", "statefulset", "daemonset", "pod", "node", "job")
"""Labels of an alert that say what it is about."""
CASCADING = re.compile(r"error|latency|slow|success", re.I)
"""Alerts that fire for whoever suffers, not only where the cause is."""
SLOW = re.compile(r"latency|slow|too late|time[sd]? ?out|takes? (too )?long", re.I)
FAILING = re.compile(r"fail|error|success|unavailable|refused|down\b", re.I)
OUTCOMES = ("outcome", "result", "status", "code")
"""Labels that tell how a request ended."""
GOOD = re.compile(r"ok|success(ful)?|pass(ed)?|true|[23]\d\d|[23]xx|found|completed", re.I)
USERS = (
    'sum by ({label}) (rate({{__name__=~".+_total",{label}!="",'
    'job=~".*(synthetic|blackbox|probe|edge|ingress|gateway|client).*"}}[{window}]))'
)
"""Requests as whoever watches from outside counts them, by how they ended."""


@dataclass
class Signals:
    """What is known beside the objects."""

    alert: str
    """The words with which the engineer was paged."""
    alerts: list[dict[str, Any]] = field(default_factory=list)
    """The alerts that fire."""
    pointing: dict[str, list[Evidence]] = field(default_factory=dict)
    """What points to a Service, a workload or a node, by its name."""
    lines: list[Line] = field(default_factory=list)
    """Log lines that tell of an error."""
    success: float | None = None
    """The share of users' requests that succeed."""
    watched: bool = False
    """There are metrics and alerts, so that silence means something."""

    @property
    def impact(self) -> str:
        """What befalls users, in the published words."""
        named = " ".join(str(each.get("alert", "")) for each in self.alerts)
        if self.success is not None and self.success < 0.99:
            return "requests_fail"
        for text in (self.alert, named):
            if FAILING.search(text):
                return "requests_fail"
            if SLOW.search(text):
                return "requests_slow"
        return "none"

    def point(self, name: str, said: str, weight: float) -> None:
        """Note that something points to a component."""
        self.pointing.setdefault(name, []).append(Evidence(said, weight))


def gather(tools: Tools, cluster: Cluster) -> Signals:
    """Ask every source that there is."""
    found = Signals(tools.alert, watched={"alerts", "metrics_query"} <= tools.names)
    found.success = success(tools)
    found.alerts = firing(tools)
    for each in found.alerts:
        _read_alert(each, cluster, found)
    namespaces = concerned(tools.alert, cluster)
    found.lines = logs.errors(tools, cluster, namespaces)
    for name, said, weight in (*logs.pointing(found.lines, cluster), *traces.pointing(tools)):
        found.point(name, said, weight)
    return found


def concerned(text: str, cluster: Cluster) -> list[str]:
    """The namespaces that an alert's text names; all that are no system's when it names none."""
    spaces = {each.namespace for each in cluster.workloads.values()} - SYSTEM
    named = spaces & set(re.findall(r"[a-z0-9][-a-z0-9]*", text))
    return sorted(named or spaces)


def firing(tools: Tools) -> list[dict[str, Any]]:
    """The alerts that fire."""
    if "alerts" not in tools.names:
        return []
    answer = tools.call("alerts")
    return [] if answer.failed else [r for r in answer.rows() if r.get("state") == "firing"]


def success(tools: Tools, window: str = "1m") -> float | None:
    """The share of users' requests that succeed, as it is measured from outside.

    Args:
        tools: `metrics_query` among them.
        window: over which time, as PromQL writes it.

    Returns:
        None when nobody measures it.
    """
    if "metrics_query" not in tools.names:
        return None
    for label in OUTCOMES:
        answer = tools.call("metrics_query", query=USERS.format(label=label, window=window))
        rates = {
            str(row["labels"][label]): _number(row.get("value"))
            for row in ([] if answer.failed else answer.rows())
            if label in row.get("labels", {})
        }
        total = sum(rates.values())
        if total > 0:
            good = sum(rate for ended, rate in rates.items() if GOOD.fullmatch(ended))
            return good / total
    return None


def _read_alert(alert: dict[str, Any], cluster: Cluster, into: Signals) -> None:
    labels = alert.get("labels") or {}
    name = str(alert.get("alert", ""))
    weight = 1.0 if CASCADING.search(name) else 2.0
    for subject in _subjects(labels, cluster):
        into.point(subject, f"alert {name} fires for {subject}", weight)


def _subjects(labels: dict[str, Any], cluster: Cluster) -> Iterable[str]:
    found = {str(labels[key]).rpartition("/")[2] for key in LABELS if labels.get(key)}
    for pod in cluster.all("pods"):
        if pod.name in found:
            workload = cluster.workload_of(pod)
            found |= {workload.name} if workload else set()
    return sorted(found)


def _number(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        return 0.0
    return number if number == number else 0.0  # noqa: PLR0124 - NaN is not itself
