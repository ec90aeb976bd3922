"""What was asked for past the API server and did not come to be, or only measured.

A request alone does nothing: where all is recorded that was started and connected, a forwarded
port over which nobody connected or said anything, and a container that never started, are told
from others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from faultyard.model.audit import Event
from faultyard.model.case import Case
from faultyard.model.findings.executed import unknown_in
from faultyard.model.forwards import Forward
from faultyard.model.proxied import ASKING, whom
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import holds
from faultyard.model.shapes import mapping, mappings

_METRICS: Final = "metrics"
_SCRAPED: Final = "prometheus.io/port"
_NO_PROGRAM: Final = "StartError"
"""Why a container ended whose program is not in its image."""


def unconnected(case: Case, pod: ObjectRef, event: Event) -> bool:
    """Tell whether a port was forwarded to a pod and nobody said a word to any of that pod."""
    if event.subresource != "portforward" or not _told_apart(case, pod):
        return False
    return not any(_may_reach(case, pod, tunnel) for tunnel in case.record.forwards)


def unstarted(case: Case, pod: ObjectRef, event: Event) -> bool:
    """Tell whether no program ever ran in what was added to a pod.

    Programs are recorded until the turn is over; later the cluster's own word counts.
    """
    known = case.sessions.complete and case.record.watch is not None
    if event.subresource != "ephemeralcontainers" or not known:
        return False
    raws = _seen(case, pod)
    own = {
        str(container.get("name"))
        for raw in raws
        for kind in ("containers", "initContainers")
        for container in mappings(mapping(raw.get("spec")).get(kind))
    }
    uid = mapping(mapping(case.any_raw(pod)).get("metadata")).get("uid")
    if not raws or any(map(_ran, raws)):
        return False
    return not any(
        (process.pod == _name(pod) or process.pod_uid == uid)
        and (process.where, process.session == "exec") == ("pod", False)
        and process.t >= event.received
        # One of a container that nobody knows may be of this one.
        and process.container not in own
        and not holds(process)
        for process in case.record.processes
    )


def measured_only(case: Case, pod: ObjectRef, events: Iterable[Event]) -> bool:
    """Tell whether all that was done in a pod was to ask where it shows its figures.

    By connections through a forwarded port, or by what the API server's proxy passed on and was
    asked to get.
    """
    ports = {str(t.port) for t in case.record.forwards if _may_reach(case, pod, t)}
    for event in events:
        if event.subresource == "proxy" and event.verb in ASKING:
            ports.add(whom(event.name)[1])
        elif event.subresource != "portforward":
            return False
    if not _told_apart(case, pod) or unknown_in(case, pod):
        return False
    return bool(ports) and ports <= shown(case, pod)


def shown(case: Case, pod: ObjectRef) -> set[str]:
    """Return the port at which a pod shows its figures, if it is known.

    It is the one that the pod's own notes name for whoever collects figures, and that its
    container calls so.
    """
    shot = case.record.snapshots.get("injected")
    raw = mapping(shot.objects.get(pod) if shot else None)
    spec, notes = mapping(raw.get("spec")), mapping(mapping(raw.get("metadata")).get("annotations"))
    named = {
        str(port.get("containerPort"))
        for container in mappings(spec.get("containers"))
        for port in mappings(container.get("ports"))
        if port.get("name") == _METRICS
    }
    return named & {str(notes.get(_SCRAPED))}


def _told_apart(case: Case, pod: ObjectRef) -> bool:
    """Tell whether every connection through a port forwarded to a pod is known, and whose it is."""
    states = [mapping(raw.get("spec")) for raw in _seen(case, pod)]
    if pod.kind != "Pod" or not case.sessions.complete or not states:
        return False
    # In the node's own network all pods look alike; whoever is root on a node may lead the
    # runtime's connections elsewhere, where they are not told from its others.
    return not any(
        spec.get("hostNetwork") or _bent(case, str(spec.get("nodeName"))) for spec in states
    )


def _may_reach(case: Case, pod: ObjectRef, tunnel: Forward) -> bool:
    """Tell whether a connection may have gone to a pod: so may one that nobody else explains."""
    others = {
        _name(case.target(event))
        for event in case.acts
        if event.subresource == "portforward" and case.target(event) != pod
    }
    in_turn = case.turn_start is not None and tunnel.t >= case.turn_start
    led = in_turn and tunnel.by == "runtime" and tunnel.pod not in others
    return led and not said_nothing(tunnel)


def said_nothing(tunnel: Forward) -> bool:
    """Tell whether a connection ended before a byte was sent: whether somebody listens was asked.

    Of one that is still open, or of which it is not known, anything may have been said.
    """
    return tunnel.until is not None and tunnel.sent == 0


def _bent(case: Case, node: str) -> bool:
    """Tell whether somebody was root on a node and may have changed something there."""
    given = case.sessions.on_nodes.get(node, ())
    return any(command.as_root and not command.telling for command in given)


def _ran(pod: Mapping[str, Any]) -> bool:
    """Tell whether a container that was added to a pod ran, by the pod's status."""
    statuses = mappings(mapping(pod.get("status")).get("ephemeralContainerStatuses"))
    states = [mapping(status.get("state")) for status in statuses]
    ended = [mapping(state["terminated"]) for state in states if state.get("terminated")]
    running = any(state.get("running") is not None for state in states)
    return running or any(state.get("reason") != _NO_PROGRAM for state in ended)


def _seen(case: Case, pod: ObjectRef) -> list[Mapping[str, Any]]:
    """Return every state of a pod that the record shows."""
    shots = [shot.objects.get(pod) for shot in case.record.snapshots.values()]
    heard = case.record.watch.changes if case.record.watch else ()
    return [raw for raw in (*shots, *(c.raw for c in heard if c.ref == pod)) if raw]


def _name(pod: ObjectRef) -> str:
    return f"{pod.namespace}/{pod.name}"
