"""service_endpoints: a Service reaches the ready pods that it selects, on ports they serve.

Looks at behaviour, not at spelling: a target port by name or by number, one port or many,
whatever the number, as long as it leads to where a container listens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from faultyard.model.counts import counted
from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, Raw, chosen, condition, leaving, over_snapshots
from faultyard.model.refs import ObjectRef
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_SERVICE_LABEL = "kubernetes.io/service-name"


class ServiceEndpoints(Strict):
    """`with:` of a service_endpoints check."""

    namespace: str
    service: str


@predicate("service_endpoints", ServiceEndpoints, MODES)
def service_endpoints(wanted: ServiceEndpoints, occasion: Occasion) -> Answer:
    """Judge the Service in the phase's snapshots."""
    needed = ("services", "pods", "endpointslices")
    return over_snapshots(occasion, needed, lambda shot: _judge(wanted, shot))


def _judge(wanted: ServiceEndpoints, shot: Snapshot) -> Answer:
    service = shot.objects.get(ObjectRef("Service", wanted.namespace, wanted.service))
    shown = f"Service {wanted.namespace}/{wanted.service}"
    if service is None:
        return Answer(State.FAIL, f"{shown} does not exist")
    spec = service.get("spec") or {}
    if not spec.get("selector"):
        return Answer(State.FAIL, f"{shown} selects no pods")
    pods = _ready_pods(shot, wanted.namespace, spec["selector"])
    slices = _slices(shot, wanted)
    addresses = _ready_addresses(slices)
    figures: dict[str, Any] = {
        "ready_pods": {ip: ref.name for ip, (ref, _) in sorted(pods.items())},
        "ready_endpoints": sorted(addresses),
        "endpoint_ports": sorted(
            {p["port"] for s in slices for p in s.get("ports") or () if "port" in p}
        ),
    }
    if not pods:
        return Answer(State.FAIL, f"no ready pod is selected by {shown}", figures)
    if addresses != set(pods):
        return Answer(State.FAIL, f"the endpoints of {shown} are not its ready pods", figures)
    wrong = list(_wrong_ports(spec, [raw for _, raw in pods.values()], slices))
    if wrong:
        return Answer(State.FAIL, f"{shown}: {'; '.join(wrong)}", figures)
    reached = counted(len(pods), "ready pod")
    return Answer(State.PASS, f"{shown} reaches its {reached}", figures)


def _ready_pods(
    shot: Snapshot, namespace: str, selector: Mapping[str, str]
) -> dict[str, tuple[ObjectRef, Raw]]:
    found = {}
    for ref, pod in shot.of_kind("Pod", namespace).items():
        address = (pod.get("status") or {}).get("podIP")
        ready = condition(pod, "Ready") == "True"
        if chosen(pod, selector) and ready and not leaving(pod) and address:
            found[str(address)] = (ref, pod)
    return found


def _slices(shot: Snapshot, wanted: ServiceEndpoints) -> list[Raw]:
    return [
        raw
        for raw in shot.of_kind("EndpointSlice", wanted.namespace).values()
        if ((raw.get("metadata") or {}).get("labels") or {}).get(_SERVICE_LABEL) == wanted.service
    ]


def _ready_addresses(slices: Iterable[Raw]) -> set[str]:
    return {
        str(address)
        for piece in slices
        for endpoint in piece.get("endpoints") or ()
        # An endpoint that says nothing is to be taken as ready.
        if (endpoint.get("conditions") or {}).get("ready") is not False
        for address in endpoint.get("addresses") or ()
    }


def _wrong_ports(spec: Raw, pods: list[Raw], slices: list[Raw]) -> Iterable[str]:
    """Yield what is wrong with the ports: each has to lead to one that a container declares."""
    published = {
        (port.get("name") or "", port["port"])
        for piece in slices
        for port in piece.get("ports") or ()
        if port.get("port") is not None
    }
    for port in spec.get("ports") or ():
        name, wanted = port.get("name") or "", port.get("targetPort", port.get("port"))
        leads_to = {number for published_name, number in published if published_name == name}
        for pod in pods:
            resolved = _resolve(pod, wanted)
            if resolved is None:
                yield f"the port {wanted!r} is none that a container of its pods declares"
                break
            if resolved not in leads_to:
                yield f"the endpoints do not have its target port {wanted!r} ({resolved})"
                break


def _resolve(pod: Raw, wanted: object) -> int | None:
    """Return the container's port that a target port means in this pod; None: there is none."""
    containers = (pod.get("spec") or {}).get("containers") or ()
    for container in containers:
        for port in container.get("ports") or ():
            if wanted in (port.get("containerPort"), port.get("name")):
                return int(port["containerPort"])
    return None
