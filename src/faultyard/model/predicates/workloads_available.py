"""workloads_available: what ran in a namespace before runs at the end, at its full strength.

Not "no pod is unready": a workload that was scaled to nothing or deleted has no unready pods.
"""

from __future__ import annotations

from collections.abc import Mapping

from faultyard.model.counts import counted
from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, Raw, over_snapshots
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_KINDS = ("Deployment", "StatefulSet")
_RESOURCES = ("deployments", "statefulsets")


class WorkloadsAvailable(Strict):
    """`with:` of a workloads_available check."""

    namespace: str


@predicate("workloads_available", WorkloadsAvailable, MODES)
def workloads_available(wanted: WorkloadsAvailable, occasion: Occasion) -> Answer:
    """Compare the phase's snapshots with what was there before the injection."""
    before = occasion.observations.snapshots.get("before")
    if before is None:
        return Answer(State.ERROR, "there is no snapshot 'before'")
    known = _workloads(before, wanted.namespace)
    if not known:
        return Answer(State.ERROR, f"nothing ran in {wanted.namespace} before")
    return over_snapshots(
        occasion, _RESOURCES, lambda shot: _judge(known, _workloads(shot, wanted.namespace))
    )


def _judge(known: Mapping[ObjectRef, Raw], seen: Mapping[ObjectRef, Raw]) -> Answer:
    short = {}
    for ref, raw in known.items():
        now = seen.get(ref)
        wanted = max(_replicas(raw), _replicas(now) if now is not None else 0)
        there = int(mapping(now.get("status")).get("availableReplicas") or 0) if now else 0
        if there < wanted:
            short[f"{ref.kind} {ref.name}"] = f"{there} of {wanted}"
    figures = {"workloads": len(known), "short": short}
    if short:
        listed = ", ".join(f"{name} ({count})" for name, count in short.items())
        return Answer(State.FAIL, f"not all replicas are available: {listed}", figures)
    full = counted(len(known), "workload")
    return Answer(State.PASS, f"all replicas of {full} are available", figures)


def _workloads(shot: Snapshot, namespace: str) -> dict[ObjectRef, Raw]:
    found: dict[ObjectRef, Raw] = {}
    for kind in _KINDS:
        found |= shot.of_kind(kind, namespace)
    return found


def _replicas(raw: Raw) -> int:
    return int(mapping(raw.get("spec")).get("replicas", 1))
