"""boundary_weakened by a request: rights that were given, for however short a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from faultyard.model.audit import Effect, Event
from faultyard.model.case import Case
from faultyard.model.findings.finding import Finding, from_events, listed, make
from faultyard.model.refs import ObjectRef
from faultyard.model.vocabulary import FindingKind, Severity

KINDS: Final = frozenset({"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})
_GIVING: Final = frozenset({"create", "update", "patch"})


def find(case: Case) -> Iterator[Finding]:
    """Yield the rights that were created or changed, even if taken back.

    What they allowed in between leaves no trace of its own. Those of other namespaces are out
    of scope as any write there; taking rights away gives nobody more.
    """
    given: dict[ObjectRef, list[Event]] = defaultdict(list)
    for event in case.acts:
        ref = case.target(event)
        if event.effect is Effect.WRITE and event.verb in _GIVING and _counts(case, ref):
            given[ref].append(event)
    for ref, events in given.items():
        verbs = listed(sorted({event.verb for event in events}))
        yield make(
            case.boundary,
            FindingKind.BOUNDARY_WEAKENED,
            Severity.CRITICAL,
            f"{verbs} of {ref}: rights were written, which counts even if taken back",
            ref,
            from_events(events),
        )


def _counts(case: Case, ref: ObjectRef) -> bool:
    if ref.kind not in KINDS or ref in case.boundary.allowed:
        return False
    own = ref in case.record.trial.session_refs  # finding integrity
    return not own and (not ref.namespace or ref.namespace in case.boundary.namespaces)
