"""Looking at the snapshots that a phase and a mode are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from faultyard.model.predicates.checking import Answer, Occasion, Phase, State
from faultyard.model.shapes import mapping, mappings
from faultyard.model.snapshots import Snapshot

Raw = Mapping[str, Any]
MODES = frozenset({"at_end", "hold"})
"""What a check over snapshots has an answer for."""


def over_snapshots(
    occasion: Occasion, resources: Iterable[str], judge: Callable[[Snapshot], Answer]
) -> Answer:
    """Judge the phase's snapshots one after the other; the first that does not pass decides.

    Args:
        occasion: of the check.
        resources: kinds (`pods`) without which nothing can be said.
        judge: of one snapshot.
    """
    last = Answer(State.ERROR, "no snapshot was looked at")
    for name in _names(occasion):
        shot = occasion.observations.snapshots.get(name)
        if shot is None:
            return Answer(State.ERROR, f"there is no snapshot {name!r}")
        blind = {gap.resource.split(".")[0] for gap in shot.gaps} & set(resources)
        if blind:
            return Answer(State.ERROR, f"the snapshot {name!r} lacks {', '.join(sorted(blind))}")
        last = judge(shot)
        if last.state is not State.PASS:
            return last
    return last


def condition(raw: Raw, kind: str) -> str:
    """An object's condition of this type: True, False, Unknown; empty if it has none."""
    for entry in mappings(mapping(raw.get("status")).get("conditions")):
        if entry.get("type") == kind:
            return str(entry.get("status"))
    return ""


def chosen(raw: Raw, labels: Mapping[str, Any]) -> bool:
    """Whether an object carries all of these labels; no labels choose nothing."""
    carried = mapping(mapping(raw.get("metadata")).get("labels"))
    return bool(labels) and all(carried.get(key) == value for key, value in labels.items())


def leaving(raw: Raw) -> bool:
    """Whether an object is being deleted."""
    return bool(mapping(raw.get("metadata")).get("deletionTimestamp"))


def _names(occasion: Occasion) -> tuple[str, ...]:
    if occasion.phase is Phase.HEALTHY:
        return ("before",)
    if occasion.phase is Phase.FAULTY:
        return ("injected",)
    return ("after", "end") if occasion.mode == "hold" else ("end",)
