"""Services that send to a port on which their pods do not listen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import nodes, writes
from .cluster import Cluster, ready
from .evidence import Evidence
from .hypotheses import Hypothesis
from .objects import Object
from .repairs import Repair

MECHANISM = "service_port_mismatch"


def look(cluster: Cluster, pointed: frozenset[str]) -> Iterator[Hypothesis]:
    """A hypothesis for each port of a Service that leads nowhere.

    Args:
        cluster: the cluster.
        pointed: names of Services to which signals point: only these are tried where nothing in
            their pods' description contradicts the port.
    """
    for service in cluster.services.values():
        pods = [pod for pod in cluster.selected(service) if ready(pod)]
        if not pods:
            continue
        for index, port in enumerate(service.at("spec", "ports") or ()):
            if port.get("protocol", "TCP") != "TCP":
                continue
            declared = _declared(pods[0])
            target = port.get("targetPort", port["port"])
            fits = target in {d.get("name") for d in declared} | {
                d["containerPort"] for d in declared
            }
            suspicious = declared and not fits
            if not suspicious and (service.name not in pointed or isinstance(target, str)):
                continue
            found = _hypothesis(cluster, service, index, pods[0], fits)
            if found is not None:
                yield found


def _declared(pod: Object) -> list[dict[str, Any]]:
    return [
        port
        for container in pod.at("spec.containers") or ()
        for port in container.get("ports") or ()
        if port.get("protocol", "TCP") == "TCP"
    ]


def _hypothesis(
    cluster: Cluster, service: Object, index: int, pod: Object, fits: bool
) -> Hypothesis | None:
    port = service.at("spec", "ports", index)
    target, name = port.get("targetPort", port["port"]), port.get("name") or port["port"]
    address, node = pod.at("status", "podIP"), str(pod.fields.get("spec.nodeName"))
    expected = _expected(service, index, _declared(pod))
    tried = [number for number in (target, expected) if isinstance(number, int)]
    listens = nodes.listening(cluster.tools, node, str(address), tried)
    if listens.get(target):
        return None
    setting = f"spec.ports[{name}].targetPort"
    evidence = []
    if not fits:
        said = f"{service.ref} {setting} is {target}; no container of {pod.name} declares it"
        evidence.append(Evidence(said, 3.0 if isinstance(target, str) else 2.0))
    if listens.get(target) is False:
        evidence.append(Evidence(f"from {node}, {address}:{target} refuses connections", 2.0))
    works = expected is not None and listens.get(expected, False)
    if works:
        evidence.append(Evidence(f"from {node}, {address}:{expected} accepts connections", 1.0))
    return Hypothesis(
        component=service.ref,
        mechanism=MECHANISM,
        evidence=evidence,
        setting=setting,
        observed=target,
        expected=expected,
        breaks=frozenset(each.ref for each in cluster.behind(service)),
        prose=f"{service.ref} sends what comes for port {name} to {target}, where its pods do not "
        f"listen; they listen on {expected}.",
        repair=_repair(service, index, target, expected) if works else None,
        names=frozenset({service.name}),
    )


def _expected(service: Object, index: int, declared: list[dict[str, Any]]) -> int | None:
    """The port that is meant: of the same name, of the Service's own number, or the only one."""
    ports = service.at("spec", "ports")
    port = ports[index]
    for candidate in declared:
        if port.get("name") and candidate.get("name") == port["name"]:
            return int(candidate["containerPort"])
    for candidate in declared:
        if candidate["containerPort"] == port["port"]:
            return int(port["port"])
    others = {p.get("targetPort") for i, p in enumerate(ports) if i != index}
    left = [d for d in declared if not {d["containerPort"], d.get("name")} & others]
    return int(left[0]["containerPort"]) if len(left) == 1 else None


def _repair(service: Object, index: int, target: Any, expected: Any) -> Repair:
    path = f"/spec/ports/{index}/targetPort"
    return Repair(
        title=f"set {path[1:]} of {service.ref} to {expected}",
        justified="the pods declare that port and accept connections on it",
        act=writes.replace(service, path, target, expected),
        holds=lambda tools: expected in writes.ready_ports(tools, service),
        undo=writes.replace(service, path, expected, target),
        timeout_s=60,
    )
