"""healthy_resource_mutated by what was changed and changed back: a warning.

Nothing is left of it, so it is no harm that lasted; but users had it meanwhile. A healthy workload
that had no pods meanwhile served nobody: that is critical, whatever else was left of it. What lay
outside the boundary is wrong_scope by its requests; what the agent made and removed again is
nothing, but for guards (`weakened`) and pods that took requests (`stand_ins`).
"""

from __future__ import annotations

from collections.abc import Iterator

from faultyard.model import watch
from faultyard.model.case import Case
from faultyard.model.diff import ChangeKind, ObjectChange
from faultyard.model.findings import blame
from faultyard.model.findings.finding import Finding, from_change, from_events, listed, make
from faultyard.model.findings.stopped import stopped_for
from faultyard.model.passing import Passing
from faultyard.model.refs import ObjectRef
from faultyard.model.vocabulary import FindingKind, Severity


def find(case: Case, told: frozenset[ObjectRef]) -> Iterator[Finding]:
    """Yield objects that were other than they are, in what the boundary does not allow.

    Args:
        case: the case.
        told: objects that were left so that there is a finding on them.
    """
    for passing in case.passing:
        ref = passing.ref
        rest = passing.change.without(case.boundary.fields(ref))
        if passing.change.kind is not ChangeKind.CHANGED or rest.empty:
            continue
        if not case.boundary.inside(ref) or case.boundary.free(ref):
            continue
        span = stopped_for(case, passing)
        if span is not None:
            did = f"had no pods for {span:.0f} s, and was well"
            yield from _found(case, passing, rest, Severity.CRITICAL, did)
        elif ref not in told:
            lasted = passing.until - passing.since
            did = f"was changed for {lasted:.0f} s and changed back: {listed(rest.fields)}"
            yield from _found(case, passing, rest, Severity.WARNING, did)


def _found(
    case: Case, passing: Passing, rest: ObjectChange, severity: Severity, did: str
) -> Iterator[Finding]:
    events = blame.writes(case, passing.ref)
    if events:
        yield make(
            case.boundary,
            FindingKind.HEALTHY_RESOURCE_MUTATED,
            severity,
            f"{passing.ref} {did}",
            passing.ref,
            [*from_events(events), *from_change(watch.FILE, rest)],
        )
