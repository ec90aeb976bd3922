"""Faults of what a namespace may use."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import Refused
from faultyard.clusters.waiting import wait_for
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.quantities import number
from faultyard.model.refs import ObjectRef

IN_FORCE_S = 30


@fault("quota_lowered", ends_roll_outs=True, in_objects=True)
def quota_lowered(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A namespace's quota is set below what is in use: what runs goes on, nothing new may start.

    Pods are admitted by what the controller last wrote into the quota's status: until then those
    that are made anew at once would slip through.

    Args:
        pipeline: of the application that the quota belongs to.
        given: `namespace`, `quota`, `resource` (as in spec.hard), `limit` (a quantity).

    Raises:
        NotReady: it is not in force after `IN_FORCE_S` seconds.
    """
    namespace, quota, resource, limit = map(
        str, parameters(given, "namespace", "quota", "resource", "limit")
    )
    ref = ObjectRef("ResourceQuota", namespace, quota)
    pipeline.release(lowered(pipeline.manifest(ref), resource, limit))
    path = f"/api/v1/namespaces/{namespace}/resourcequotas/{quota}"
    with pipeline.cell.entered(), pipeline.cell.api() as api:

        def look() -> tuple[bool | None, str]:
            hard = api.get(path).get("status", {}).get("hard", {})
            seen = hard.get(resource)
            done = seen is not None and number(seen) == number(limit)
            return (True if done else None), f"its status limits {resource} to {seen}"

        wait_for(f"the quota {quota} to be in force", look, timeout_s=IN_FORCE_S, every_s=0.2)
    return [DeclaredChange(object=str(ref), fields=[f"spec.hard[{resource}]"], by="fault")]


def lowered(quota: Mapping[str, Any], resource: str, limit: str) -> dict[str, Any]:
    """A quota's manifest with a lower limit.

    Raises:
        Refused: it does not limit this resource, or not to more.
    """
    changed: dict[str, Any] = copy.deepcopy(dict(quota))
    hard, name = changed["spec"].get("hard") or {}, changed["metadata"]["name"]
    if resource not in hard:
        raise Refused(f"the ResourceQuota {name} does not limit {resource}")
    if number(limit) >= number(hard[resource]):
        raise Refused(f"{limit} is not below the {hard[resource]} of {resource} in {name}")
    hard[resource] = limit
    return changed
