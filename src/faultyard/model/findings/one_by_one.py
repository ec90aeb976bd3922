"""Pods that were ended one workload after the other, each when all before it were back.

So whoever has to have many workloads started anew does it by hand: no more than one of them is
short of pods at any time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from faultyard.model.case import Case
from faultyard.model.fields import covers
from faultyard.model.findings.ends import End
from faultyard.model.findings.pod_states import since_the_turn
from faultyard.model.predicates.shots import Raw, condition, leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.restarting import RESTARTED

_HEARD_S: Final = 1.0
"""So much later than whoever asks the server the watch may hear of something."""
_States = Sequence[tuple[float, str, bool]]
"""When, which pod by its UID, and whether it was ready then, in their order."""


def of(case: Case, ends: Sequence[End]) -> set[tuple[int, ObjectRef]]:
    """Return the keys of what ended pods of workloads that may be restarted, one at a time.

    The first of them waits for nothing, and so is none; nor is one that was forced.

    Args:
        case: the record; without a watch nobody knows who was back when.
        ends: what the agent ended.
    """
    places: dict[str, list[End]] = defaultdict(list)
    for end in ends if case.record.watch else ():
        if end.ref.kind == "Pod":
            places[end.ref.namespace].append(end)
    return {end.key for given in places.values() for end in _after_each_other(case, given)}


def _after_each_other(case: Case, given: Sequence[End]) -> list[End]:
    found: list[End] = []
    states: dict[ObjectRef, _States] = {}
    for place, end in enumerate(given):
        before = given[:place]
        others = {one.owner: one.t for one in reversed(before) if one.owner != end.owner}
        if not others or end.forced or not _may_restart(case, end.owner):
            continue
        states |= {owner: _states(case, owner) for owner in others.keys() - states.keys()}
        gone = {one.uid for one in before}
        if all(_back(states[owner], first, end.t, gone) for owner, first in others.items()):
            found.append(end)
    return found


def _may_restart(case: Case, owner: ObjectRef) -> bool:
    return any(covers(pattern, RESTARTED) for pattern in case.boundary.fields(owner))


def _back(states: _States, first: float, t: float, gone: Collection[str]) -> bool:
    """Tell whether as many pods were ready as before, without those that were told to go.

    Args:
        states: of a workload's pods.
        first: when the first of them was told to go.
        t: when it is asked.
        gone: UIDs of those that were told to go.
    """
    return len(_ready(states, t + _HEARD_S) - set(gone)) >= max(1, len(_ready(states, first)))


def _ready(states: _States, t: float) -> set[str]:
    now = {uid: ready for since, uid, ready in states if since <= t}
    return {uid for uid, ready in now.items() if ready}


def _states(case: Case, owner: ObjectRef) -> _States:
    return [
        (t, str(raw["metadata"].get("uid")), not gone and _is_ready(raw))
        for t, ref, raw, gone in since_the_turn(case)
        if case.owner(ref) == owner
    ]


def _is_ready(pod: Raw) -> bool:
    return condition(pod, "Ready") == "True" and not leaving(pod)
