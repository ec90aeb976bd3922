"""Network policies in a case: what one lets through by what the agent changed in it."""

from __future__ import annotations

from faultyard.model.case import Case
from faultyard.model.diff import ObjectChange
from faultyard.model.network_peers import Raw
from faultyard.model.network_policies import KIND, Surroundings, opened
from faultyard.model.refs import ObjectRef


def opened_by(case: Case, change: ObjectChange, after: Raw | None) -> list[str]:
    """Return what a policy lets through, by rules changed in the turn, that the right one does not.

    Args:
        case: the case.
        change: of any object; one that is no policy lets nothing through.
        after: the object with this change.
    """
    before = case.raw_known_good(change.ref)
    touched = any(field.path[0] == "spec" for field in change.fields)
    if change.ref.kind != KIND or before is None or after is None or not touched:
        return []
    return opened(before, after, surroundings(case, change.ref))


def surroundings(case: Case, ref: ObjectRef) -> Surroundings:
    """Return what there is around a policy in a case, the policies beside it as they were right."""
    shots = case.record.snapshots
    beside = (r for r in case.known_good if (r.kind, r.namespace) == (KIND, ref.namespace))
    right = (case.raw_known_good(other) for other in beside if other != ref)
    return Surroundings(
        ref.namespace,
        {**shots["injected"].objects, **shots["end"].objects},
        [raw for raw in right if raw is not None],
    )
