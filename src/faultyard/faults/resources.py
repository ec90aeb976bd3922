"""Faults of what containers may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import Refused
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.quantities import number
from faultyard.model.refs import ObjectRef


@fault("container_limit")
def container_limit(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A container's limit on a resource is set, and its request lowered where it is larger.

    Args:
        pipeline: of the application that the workload belongs to.
        given: `namespace`, `workload` (Kind/name), `container`, `resource`, `limit` (a quantity).
    """
    namespace, workload, container, resource, limit = map(
        str, parameters(given, "namespace", "workload", "container", "resource", "limit")
    )
    kind, _, name = workload.partition("/")
    ref = ObjectRef(kind, namespace, name)
    manifest = pipeline.manifest(ref)
    changed = set_limit(manifest, container, resource, limit)
    pipeline.release(manifest)
    place = f"spec.template.spec.containers[{container}].resources"
    fields = [f"{place}.{part}.{resource}" for part in changed]
    return [DeclaredChange(object=str(ref), fields=fields, by="fault")]


def set_limit(manifest: Mapping[str, Any], container: str, resource: str, limit: str) -> list[str]:
    """Set a limit in a workload's manifest; a request above it would be refused.

    Returns:
        What was changed: `limits`, and `requests` if it had to be.

    Raises:
        Refused: there is no such container.
    """
    for item in manifest["spec"]["template"]["spec"]["containers"]:
        if item["name"] != container:
            continue
        resources = item.setdefault("resources", {})
        resources.setdefault("limits", {})[resource] = limit
        request = resources.get("requests", {}).get(resource)
        if request is None or number(request) <= number(limit):
            return ["limits"]
        resources["requests"][resource] = limit
        return ["limits", "requests"]
    raise Refused(f"{manifest['metadata']['name']} has no container {container}")
