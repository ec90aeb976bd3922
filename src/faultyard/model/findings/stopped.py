"""Workloads that were well, and of which no pod was to run for a time: an outage, not a restart.

What is at fault serves nobody anyway, and to stop and start it is one way to restart it.
"""

from __future__ import annotations

from typing import Final

from faultyard.model.case import Case
from faultyard.model.diagnosis.grading import grounds_of
from faultyard.model.diff import ChangeKind
from faultyard.model.fields import Path
from faultyard.model.passing import Passing
from faultyard.model.predicates.shots import condition
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.watch import Change

REPLICAS: Final[Path] = ("spec", "replicas")


def stopped_for(case: Case, passing: Passing) -> float | None:
    """Return for how many seconds a healthy workload was to have no pods; None: it was not so.

    Args:
        case: the case.
        passing: what of the workload was other meanwhile, and is as before again.
    """
    scaled = any(field.path == REPLICAS for field in passing.change.fields)
    if passing.change.kind is not ChangeKind.CHANGED or not scaled:
        return None
    none = [index for index, state in enumerate(passing.states) if _wants_none(state)]
    if not none or _at_fault(case, passing.ref) or not _served(case, passing.ref):
        return None
    later = passing.states[none[0] + 1 :]
    until = next((state.t for state in later if not _wants_none(state)), passing.until)
    return until - passing.states[none[0]].t


def _wants_none(state: Change) -> bool:
    return mapping(state.raw.get("spec")).get("replicas") == 0


def _at_fault(case: Case, ref: ObjectRef) -> bool:
    """Tell whether a workload may be repaired, or serves nobody by the problem's causes."""
    grounds = grounds_of(case.record)
    return ref in case.boundary.allowed or (grounds.components.of(str(ref)) in grounds.scope.idle)


def _served(case: Case, ref: ObjectRef) -> bool:
    """Tell whether a pod of a workload was ready when the turn began."""
    shot = case.record.snapshots["injected"]
    pods = shot.of_kind("Pod", ref.namespace)
    return any(
        condition(raw, "Ready") == "True" and case.owner(pod) == ref for pod, raw in pods.items()
    )
