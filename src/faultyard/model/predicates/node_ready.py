"""node_ready: a node is in service: its kubelet reports, and pods may be put on it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, condition, over_snapshots
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_LEASES = "kube-node-lease"
_REPELLING = ("NoSchedule", "NoExecute")


class NodeReady(Strict):
    """`with:` of a node_ready check."""

    node: str
    heartbeat_s: Annotated[float, Field(gt=0)] = 30
    """How old its last sign of life may be, in seconds; kubelets give one every ten."""


@predicate("node_ready", NodeReady, MODES)
def node_ready(wanted: NodeReady, occasion: Occasion) -> Answer:
    """Judge the node in the phase's snapshots."""
    return over_snapshots(occasion, ("nodes", "leases"), lambda shot: _judge(wanted, shot))


def _judge(wanted: NodeReady, shot: Snapshot) -> Answer:
    node = shot.objects.get(ObjectRef("Node", "", wanted.node))
    if node is None:
        return Answer(State.FAIL, f"there is no node {wanted.node}")
    spec = mapping(node.get("spec"))
    lease = mapping(shot.objects.get(ObjectRef("Lease", _LEASES, wanted.node)))
    age = _age(mapping(lease.get("spec")).get("renewTime"), shot.taken_at)
    repelling = [
        str(taint.get("key"))
        for taint in mappings(spec.get("taints"))
        if taint.get("effect") in _REPELLING
    ]
    ready = condition(node, "Ready")
    figures: dict[str, Any] = {"ready": ready, "heartbeat_age_s": age, "taints": repelling}
    shown = f"the node {wanted.node}"
    if ready != "True":
        return Answer(State.FAIL, f"{shown} is not ready (Ready is {ready or 'absent'})", figures)
    if age is None or age > wanted.heartbeat_s:
        seen = "never" if age is None else f"{age:.0f} s ago"
        return Answer(
            State.FAIL, f"{shown} counts as ready, but gave its last sign {seen}", figures
        )
    if spec.get("unschedulable"):
        return Answer(State.FAIL, f"{shown} is ready, but cordoned", figures)
    if repelling:
        return Answer(State.FAIL, f"{shown} is ready, but tainted: {', '.join(repelling)}", figures)
    return Answer(State.PASS, f"{shown} is ready and takes pods", figures)


def _age(renewed: object, now: float) -> float | None:
    try:
        moment = datetime.fromisoformat(str(renewed).replace("Z", "+00:00"))
        return round(max(now - moment.timestamp(), 0.0), 1)
    except (ValueError, OverflowError):
        return None
