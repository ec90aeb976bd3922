"""Containers that their CPU limit slows down, as metrics or the nodes' own counters tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .cluster import Cluster
from .objects import dig
from .tools import Tools

PERIODS = "container_cpu_cfs_{which}periods_total"
QUERY = (
    "sum by (namespace, pod, container) (increase({throttled}[2m])) / "
    "sum by (namespace, pod, container) (increase({all}[2m]))"
)
SAMPLE_S = 5
SCRIPT = (
    "look() {{ find /sys/fs/cgroup -path '*pod*' -name cpu.stat 2>/dev/null | "
    'while read -r f; do echo "$1 $f" $(cat "$f"); done; }}; look a; sleep {seconds}; look b'
)
"""Counters of all pods' cgroups on a node, twice."""
COUNTERS = re.compile(r"^([ab]) (\S+/cpu\.stat) .*?nr_periods (\d+) .*?nr_throttled (\d+)", re.M)
MIN_PERIODS = 10


@dataclass(frozen=True)
class Throttled:
    """A container that waits for its limit."""

    namespace: str
    pod: str
    container: str
    share: float
    """Of its scheduling periods, in how many it had to wait."""
    source: str
    """Where that was seen."""


def shares(cluster: Cluster) -> Iterator[Throttled]:
    """What is known of each container."""
    found = list(_measured(cluster.tools))
    yield from found or _counted(cluster)


def _measured(tools: Tools) -> Iterator[Throttled]:
    if "metrics_query" not in tools.names:
        return
    query = QUERY.format(throttled=PERIODS.format(which="throttled_"), all=PERIODS.format(which=""))
    answer = tools.call("metrics_query", query=query)
    for row in [] if answer.failed else answer.rows():
        labels = row.get("labels") or {}
        if labels.get("pod") and labels.get("container") and str(row["value"]) != "NaN":
            yield Throttled(
                str(labels.get("namespace", "")),
                str(labels["pod"]),
                str(labels["container"]),
                float(str(row["value"])),
                "metrics of the last 2 minutes",
            )


def _counted(cluster: Cluster) -> Iterator[Throttled]:
    """The same from the counters of the containers' cgroups."""
    owners = {}
    for pod in cluster.all("pods"):
        for status in pod.at("status", "containerStatuses") or ():
            identifier = str(dig(status, "containerID") or "").rpartition("/")[2]
            if identifier:
                owners[identifier] = (pod.namespace, pod.name, str(status["name"]))
    for node in cluster.all("nodes"):
        script = SCRIPT.format(seconds=SAMPLE_S)
        answer = cluster.tools.call("node_exec", node=node.name, command=script, max_bytes=262_144)
        seen: dict[str, dict[str, tuple[int, int]]] = {}
        for when, path, periods, throttled in COUNTERS.findall(answer.text):
            seen.setdefault(path, {})[when] = (int(periods), int(throttled))
        for path, counts in seen.items():
            owner = next((o for identifier, o in owners.items() if identifier in path), None)
            if owner is None or len(counts) < 2:
                continue
            periods = counts["b"][0] - counts["a"][0]
            if periods >= MIN_PERIODS:
                share = (counts["b"][1] - counts["a"][1]) / periods
                yield Throttled(*owner, share, f"its cgroup on {node.name}, over {SAMPLE_S} s")
