"""Nodes: services of theirs that do not run, and questions that only a node can answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .cluster import SYSTEM, Cluster
from .evidence import Evidence
from .hypotheses import Hypothesis
from .objects import Object, read
from .repairs import Repair
from .tools import Answer, Tools

UNITS = {"kubelet": "node_agent_down", "containerd": "container_runtime_hung"}
"""What a node cannot work without, and what it is when it is down."""
SHOW = "systemctl show -p Id,LoadState,ActiveState,SubState,UnitFileState"
MANY = 10
"""Of more nodes than that only those that are not ready are looked at."""


@dataclass(frozen=True)
class Unit:
    """A systemd unit."""

    name: str
    load: str
    active: str
    sub: str
    enabled: str


def listening(tools: Tools, node: str, address: str, ports: Sequence[int]) -> dict[int, bool]:
    """Which ports of an address accept connections from a node; those not tried are left out."""
    script = (
        f"for p in {' '.join(map(str, ports))}; do "
        f'timeout 2 bash -c "</dev/tcp/{address}/$p" 2>/dev/null && echo "open $p" || '
        'echo "shut $p"; done'
    )
    if not ports:
        return {}
    answer = tools.call("node_exec", node=node, command=script)
    found = re.findall(r"^(open|shut) (\d+)$", answer.text, re.M)
    return {int(number): word == "open" for word, number in found}


def look(cluster: Cluster) -> Iterator[Hypothesis]:
    """A hypothesis for each unit of a node that does not run as on the others."""
    found = cluster.all("nodes")
    bad = [node for node in found if not healthy(node)]
    usual: dict[str, str] = {}
    states: dict[str, list[Unit]] = {}
    for node in found if len(found) <= MANY else [*bad, *found[:1]]:
        states[node.name] = units(cluster.tools, node.name)
        if healthy(node):
            usual |= {unit.name: unit.enabled for unit in states[node.name]}
    for node in found:
        for unit in states.get(node.name, ()):
            if unit.active not in {"active", "reloading", "activating"}:
                yield _hypothesis(cluster, node, unit, usual.get(unit.name, "enabled"))
        if node in bad and not states.get(node.name):
            yield _unreachable(cluster, node)


def units(tools: Tools, node: str) -> list[Unit]:
    """The units of a node that matter; none when it does not answer."""
    answer = tools.call("node_exec", node=node, command=f"{SHOW} {' '.join(UNITS)}")
    found = []
    for block in answer.text.split("\n\n"):
        values = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if values.get("Id") and values.get("LoadState") != "not-found":
            found.append(
                Unit(
                    values["Id"].removesuffix(".service"),
                    values.get("LoadState", ""),
                    values.get("ActiveState", ""),
                    values.get("SubState", ""),
                    values.get("UnitFileState", ""),
                )
            )
    return found


def healthy(node: Object) -> bool:
    """Whether a node is ready, as the cluster sees it."""
    conditions = node.fields.get("status.conditions") or ()
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


def _carried(cluster: Cluster, node: Object) -> frozenset[str]:
    """The workloads of which every pod is on a node."""
    found = set()
    for workload in cluster.workloads.values():
        places = {pod.fields.get("spec.nodeName") for pod in cluster.pods_of(workload)}
        if places == {node.name} and workload.namespace not in SYSTEM:
            found.add(workload.ref)
    return frozenset(found)


def _hypothesis(cluster: Cluster, node: Object, unit: Unit, usual: str) -> Hypothesis:
    evidence = [Evidence(f"{unit.name} on {node.name} is {unit.active} ({unit.sub})", 3.0)]
    if not healthy(node):
        evidence.append(Evidence(f"Node {node.name} is not Ready", 2.0))
    if unit.enabled != usual:
        said = f"{unit.name} is {unit.enabled} on {node.name}, {usual} on the other nodes"
        evidence.append(Evidence(said, 0.5))
    return Hypothesis(
        component=f"Node//{node.name}",
        mechanism=UNITS[unit.name],
        evidence=evidence,
        setting=f"unit {unit.name}",
        observed=unit.active,
        expected="active",
        breaks=_carried(cluster, node),
        prose=f"{unit.name} does not run on {node.name}, so nobody tends the pods there and their "
        "addresses are taken out, or answer no more.",
        repair=_repair(node, unit, usual),
        names=frozenset({node.name}),
    )


def _unreachable(cluster: Cluster, node: Object) -> Hypothesis:
    return Hypothesis(
        component=f"Node//{node.name}",
        mechanism="network_path_broken",
        evidence=[
            Evidence(f"Node {node.name} is not Ready", 2.0),
            Evidence(f"there is no session on {node.name} by SSH", 2.0),
        ],
        breaks=_carried(cluster, node),
        prose=f"{node.name} answers neither the cluster nor SSH.",
        names=frozenset({node.name}),
    )


def _repair(node: Object, unit: Unit, usual: str) -> Repair:
    steps = []
    if unit.load == "masked" or unit.enabled.startswith("masked"):
        steps.append(f"sudo systemctl unmask {unit.name}")
    if unit.enabled != usual and usual == "enabled":
        steps.append(f"sudo systemctl enable {unit.name}")
    steps.append(f"sudo systemctl start {unit.name}")

    def act(tools: Tools) -> Answer:
        return tools.call("node_exec", node=node.name, command=" && ".join(steps))

    def holds(tools: Tools) -> bool:
        return any(each.name == node.name and healthy(each) for each in read(tools, "nodes"))

    return Repair(
        title=f"start {unit.name} on {node.name}",
        justified=f"it is {unit.active}, and a node cannot work without it",
        act=act,
        holds=holds,
    )
