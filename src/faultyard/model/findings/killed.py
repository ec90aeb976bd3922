"""Workloads whose pods were ended on nodes, by the runtime's own tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from faultyard.model import processes
from faultyard.model.case import Case
from faultyard.model.commands import Ending, ending
from faultyard.model.findings import node_commands
from faultyard.model.findings.finding import Reference
from faultyard.model.findings.pod_states import since_the_turn
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.model.shapes import mapping, mappings


@dataclass(frozen=True)
class Kill:
    """One pod that a command ended on its node."""

    t: float
    """Unix seconds."""
    namespace: str
    owner: ObjectRef
    """The workload that it belongs to."""
    forced: bool
    """Without time to end by itself."""
    evidence: Reference


def of(case: Case) -> list[Kill]:
    """Return what commands as root ended of the pods on nodes, in their order.

    A sandbox's ID stands in no object: so many pods count as were told, and had containers that
    ran no longer at the end.
    """
    found = []
    for node, given in node_commands.changes(case).items():
        told: list[Command] = []
        for command in given:
            end = ending(command.process.exe, command.process.argv)
            if end is not None:
                found += [_kill(case, command, end, pod) for pod in _pods(case, node, command, end)]
                told += [command] if end.sandboxes else []
        found += _unnamed(case, node, told)
    return sorted(found, key=lambda kill: kill.t)


def _kill(case: Case, command: Command, end: Ending, pod: ObjectRef) -> Kill:
    reference = Reference(processes.FILE, command.process.line)
    return Kill(command.process.t, pod.namespace, case.owner(pod), end.forced, reference)


def _pods(case: Case, node: str, command: Command, end: Ending) -> set[ObjectRef]:
    """Return the pods of a node whose running containers a command names, or all that run."""
    found = {
        pod
        for _, pod, raw in _states(case, node)
        if any(one.startswith(given) for one in _running(raw) for given in end.ids if given)
    }
    if end.all:
        now = {pod: raw for t, pod, raw in _states(case, node) if t <= command.process.t}
        found |= {pod for pod, raw in now.items() if _running(raw)}
    return found


def _unnamed(case: Case, node: str, told: list[Command]) -> list[Kill]:
    """Return kills by IDs that are no container's, each for another of the pods that lost one."""
    known = {one for *_, raw in _states(case, node) for one in _running(raw)}
    waiting = [
        (command, end, given)
        for command in told
        if (end := ending(command.process.exe, command.process.argv))
        for given in end.ids
        if not any(one.startswith(given) for one in known)
    ]
    unique = {given: (command, end) for command, end, given in reversed(waiting)}
    lost = sorted(_lost(case, node), key=str)
    pairs = zip(unique.values(), lost, strict=False)
    return [_kill(case, command, end, pod) for (command, end), pod in pairs]


def _lost(case: Case, node: str) -> set[ObjectRef]:
    """Return the pods of a node of whose containers one ran when the turn began, and not later."""
    first, last = (case.record.snapshots.get(name) for name in ("injected", "end"))
    if first is None or last is None:
        return set()
    return {
        pod
        for pod, raw in first.of_kind("Pod", None).items()
        if mapping(raw.get("spec")).get("nodeName") == node
        and not _running(raw) <= _running(mapping(last.objects.get(pod)))
    }


def _states(case: Case, node: str) -> Iterator[tuple[float, ObjectRef, Mapping[str, Any]]]:
    """Yield every state of a node's pods since the turn began, and since when it was so.

    A pod that is gone has none.
    """
    for t, pod, raw, gone in since_the_turn(case):
        spec = mapping(raw.get("spec"))
        if spec.get("nodeName") == node:
            yield t, pod, {"spec": spec} if gone else raw


def _running(pod: Mapping[str, Any]) -> set[str]:
    """Return the IDs of the containers that run in a pod, by its status."""
    status = mapping(pod.get("status"))
    return {
        str(container.get("containerID")).rpartition("//")[2]
        for kind in ("containerStatuses", "initContainerStatuses")
        for container in mappings(status.get(kind))
        if mapping(container.get("state")).get("running") is not None
    }
