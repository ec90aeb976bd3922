"""symptom_patch by pods that do a workload's work, though it is not the workload that made them.

What people decide is all as it was, and no change of it is left; what answers users is another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from faultyard.model.case import Case
from faultyard.model.diff import ChangeKind, ObjectChange
from faultyard.model.findings import blame
from faultyard.model.findings.finding import Finding, from_change, make
from faultyard.model.predicates.shots import leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.vocabulary import FindingKind, Severity


def find(case: Case) -> Iterator[Finding]:
    """Yield pods that run what the agent decided, and that a healthy object has taken over."""
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
