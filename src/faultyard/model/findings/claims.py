"""Which pods hold data that outlives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultyard.model.case import Case
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mappings, pod_spec


def holds_data(case: Case, ref: ObjectRef) -> bool:
    """Tell whether an object is a pod with a volume by claim, or was at any time."""
    if ref.kind != "Pod":
        return False
    # A pod that came and went between two snapshots is in the watch, and in the request.
    seen: list[object] = [shot.objects.get(ref) for shot in case.record.snapshots.values()]
    seen.append(case.any_raw(ref))
    for event in case.creations.get(ref, ()):
        seen += [event.request, event.response]
    return any(has_claim(pod_spec(raw)) for raw in seen)


def has_claim(spec: Mapping[str, Any]) -> bool:
    """Tell whether a pod's specification has a volume by claim."""
    volumes = mappings(spec.get("volumes"))
    return any("persistentVolumeClaim" in volume for volume in volumes)
