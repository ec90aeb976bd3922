"""Whether a write or a restart of the agent's can be what made the checks turn good."""

from __future__ import annotations

from typing import Final

from faultyard.model.actors import STORED
from faultyard.model.audit import Event
from faultyard.model.case import Case
from faultyard.model.diagnosis.grading import grounds_of
from faultyard.model.diff import ChangeKind
from faultyard.model.findings import restarts
from faultyard.model.normal import IGNORED_KINDS
from faultyard.model.refs import ObjectRef

# A new one of these does nothing until something else refers to it.
_IDLE: Final = frozenset({"ConfigMap", "Secret", "ServiceAccount"})


def explained(case: Case) -> bool:
    """Tell whether the agent wrote to what is faulty, suffers with it, or may be repaired.

    Or restarted it.

    A report, a label or a note explains nothing, and neither does a write to something else.
    """
    scope = grounds_of(case.record).scope
    names = scope.affected | scope.tolerated
    acts = [event for event in case.acts if event.effect in STORED]
    if any(_can_heal(case, event, names) for event in acts):
        return True
    return any(_may_heal(case, one.pod, one.owner, names) for one in restarts.of(case))


def _can_heal(case: Case, event: Event, names: frozenset[str]) -> bool:
    ref = case.target(event)
    owner = case.owner(ref, event)
    if ref.kind in IGNORED_KINDS or event.subresource == "status":
        return False
    stated = _stated(case, ref, owner)
    if not _may_heal(case, ref, owner, names):
        return False
    changes = [c for c in case.changed if c.ref == ref]
    changes += [passing.change for passing in case.passing if passing.ref == ref]
    if not changes:
        # Pods and the like are no state of their own; without a watch nobody saw what passed.
        return owner != ref or event.verb.startswith("delete") or case.record.watch is None
    return any(
        any(field.path[0] != "metadata" for field in change.fields)
        if change.kind is ChangeKind.CHANGED
        else stated or ref.kind not in _IDLE or change.kind is not ChangeKind.ADDED
        for change in changes
    )


def _may_heal(case: Case, ref: ObjectRef, owner: ObjectRef, names: frozenset[str]) -> bool:
    concerned = _concerned(case, ref, names) or _concerned(case, owner, names)
    return concerned or _stated(case, ref, owner)


def _stated(case: Case, ref: ObjectRef, owner: ObjectRef) -> bool:
    """Tell whether an object may be repaired, or is what the fault changed."""
    if ref in case.boundary.allowed or owner in case.boundary.allowed:
        return True
    return any(c.ref == ref and c.by == "fault" for c in case.record.trial.declared_changes)


def _concerned(case: Case, ref: ObjectRef, names: frozenset[str]) -> bool:
    """Tell whether an object belongs to what is faulty or suffers, by its name."""
    if str(ref) in names:
        return True
    own = ref.name == "*" or any(ref.name == n or ref.name.startswith(f"{n}-") for n in names)
    return own and ref.namespace in case.boundary.namespaces
