"""What of a change the boundary does not allow, and whether it leaves a guard looser."""

from __future__ import annotations

from dataclasses import replace

from faultyard.model import network_policies
from faultyard.model.boundary import GUARDS
from faultyard.model.case import Case
from faultyard.model.diff import FieldChange, ObjectChange
from faultyard.model.fields import covers
from faultyard.model.findings import guards, notes, opened_policies, variables
from faultyard.model.findings.guards import Raw
from faultyard.model.restarting import RESTARTED, only_restarts


def forbidden(case: Case, change: ObjectChange, after: Raw | None) -> ObjectChange:
    """Leave out what the boundary allows: fields that may differ, but those that may not go.

    A network policy may differ in how it says what it must let through, not in what; a restart
    that is allowed may be written by any note.

    Args:
        case: the case.
        change: from known-good.
        after: the object with this change; None: it is gone.
    """
    if change.ref in case.boundary.allowed and opened_policies.opened_by(case, change, after):
        return change
    free = case.boundary.fields(change.ref)
    rest = change.without(free).fields
    if any(covers(pattern, RESTARTED) for pattern in free):
        harmless = restarts(case, change)
        rest = tuple(field for field in rest if field not in harmless)
    kept = tuple(
        field
        for field in change.fields
        if field in rest or case.boundary.lost(change.ref, field.path, field.before, field.after)
    )
    return replace(change, fields=kept)


def restarts(case: Case, change: ObjectChange) -> tuple[FieldChange, ...]:
    """Return the fields of a change that do nothing but have a workload's pods made anew."""
    return tuple(
        field
        for field in change.fields
        if only_restarts(field)
        or notes.only_restart(case, field)
        or variables.only_restart(case, change, field)
    )


def loosened(case: Case, change: ObjectChange, after: Raw | None) -> list[str]:
    """Return in which ways an object lets more through than known-good, one clause each.

    Args:
        case: the case.
        change: from known-good.
        after: the object with this change; None: it is gone.
    """
    if change.ref.kind == network_policies.KIND and change.ref in case.boundary.allowed and after:
        return opened_policies.opened_by(case, change, after)
    if change.ref.kind in GUARDS:
        neighbours = [
            ref
            for ref in case.known_good
            if ref.kind == change.ref.kind
            and ref.namespace == change.ref.namespace
            and ref != change.ref
        ]
        before = case.raw_known_good(change.ref)
        return guards.loosened(change.ref.kind, before, after, bool(neighbours))
    if change.ref.kind == "Service":
        return guards.exposed(change.fields)
    return guards.loosened_pods(change.fields)
