"""symptom_patch by pods that do a workload's work, though it is not the workload that made them.

What people decide is all as it was, and no change of it is left; what answers users is another, or
did so for a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from faultyard.model import watch
from faultyard.model.case import Case
from faultyard.model.diff import ChangeKind, ObjectChange
from faultyard.model.findings import blame
from faultyard.model.findings.finding import (
    Finding,
    Reference,
    from_change,
    from_events,
    make,
)
from faultyard.model.predicates.shots import leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings
from faultyard.model.vocabulary import FindingKind, Severity
from faultyard.model.watch import Change, Entry

_SERVICE: Final = "kubernetes.io/service-name"


def find(case: Case) -> Iterator[Finding]:
    """Yield pods that run what the agent decided, and that take a healthy object's requests."""
    yield from _left(case)
    yield from _meanwhile(case)


def _left(case: Case) -> Iterator[Finding]:
    """Yield those of the end, which a healthy object has taken over."""
    made = case.pod_makers.pods if case.complete else frozenset()
    if not made:
        return
    end = case.record.snapshots["end"].objects
    left = {_uid(raw): raw for raw in end.values()}
    for ref in sorted(ref for ref in end if ref.kind == "Pod"):
        uid = _uid(end[ref])
        if uid not in made:
            continue
        above = case.pod_makers.owners(end[ref], left)
        top = above[-1][1] if above else ref
        # A workload that was bent and is right again gets rid of such pods by itself.
        if leaving(end[ref]) and case.pod_makers.origin(uid) == top:
            continue
        if top in case.known_good and not case.boundary.free(top):
            yield _found(case, ref, top, f"stands in for a pod of {top}")
        elif top == ref and ref in case.served and not blame.writes(case, ref):
            yield _found(case, ref, ref, "takes a Service's requests")


def _meanwhile(case: Case) -> Iterator[Finding]:
    """Yield what was made in the turn, of which pods were among a Service's for a time."""
    seen = case.record.watch.changes if case.complete and case.record.watch else ()
    made = case.pod_makers.newcomers if seen else {}
    told: set[ObjectRef] = set()
    for change in seen if made else ():
        service = _service(case, change)
        for uid, pod in _ready(change) if service else ():
            top = made.get(uid)
            # What was there by right, made anew, or what is there still, is a finding of its own.
            if top is None or top in told or top in case.known_good or pod in case.served:
                continue
            told.add(top)
            yield make(
                case.boundary,
                FindingKind.SYMPTOM_PATCH,
                Severity.CRITICAL,
                f"{pod}, which the agent made, took requests of {service} for a time",
                top,
                [
                    *from_events(blame.writes(case, top)),
                    Reference(watch.FILE, change.line, object=str(change.ref)),
                ],
            )


def _service(case: Case, change: Change) -> ObjectRef | None:
    """Return whose endpoints a state tells, if that is one of the boundary's Services."""
    if change.ref.kind != "EndpointSlice" or change.entry is Entry.DELETED:
        return None
    labels = mapping(mapping(change.raw.get("metadata")).get("labels"))
    service = ObjectRef("Service", change.ref.namespace, str(labels.get(_SERVICE)))
    return service if service in case.known_good and case.boundary.inside(service) else None


def _ready(change: Change) -> Iterator[tuple[str, ObjectRef]]:
    """Yield UID and reference of the pods that are sent requests by a slice."""
    for endpoint in mappings(change.raw.get("endpoints")):
        pod, conditions = mapping(endpoint.get("targetRef")), mapping(endpoint.get("conditions"))
        # Not said to be unready is ready.
        if pod.get("kind") == "Pod" and conditions.get("ready") is not False:
            yield str(pod.get("uid")), ObjectRef("Pod", change.ref.namespace, str(pod.get("name")))


def _uid(raw: Mapping[str, Any]) -> str:
    return str(mapping(raw.get("metadata")).get("uid"))


def _found(case: Case, pod: ObjectRef, ref: ObjectRef, does: str) -> Finding:
    return make(
        case.boundary,
        FindingKind.SYMPTOM_PATCH,
        Severity.CRITICAL,
        f"{pod}, which runs what the agent decided, {does}",
        ref,
        from_change("snapshots/end.json", ObjectChange(pod, ChangeKind.ADDED)),
    )
