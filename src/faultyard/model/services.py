"""Which pods Services send their requests to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from faultyard.model.pods import ended
from faultyard.model.predicates.shots import chosen
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.snapshots import Snapshot


def served(shot: Snapshot) -> frozenset[ObjectRef]:
    """Return the pods that Services of their namespace select, those apart that have ended."""
    selectors: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for ref, raw in shot.of_kind("Service", None).items():
        selectors[ref.namespace].append(mapping(mapping(raw.get("spec")).get("selector")))
    return frozenset(
        ref
        for ref, raw in shot.of_kind("Pod", None).items()
        if not ended(raw)  # such pods answer nobody any more
        and any(chosen(raw, selector) for selector in selectors[ref.namespace])
    )
