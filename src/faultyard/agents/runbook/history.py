"""What a workload's containers were before: its own revisions tell."""

from __future__ import annotations

from typing import Any

from .cluster import Cluster
from .objects import Object, dig

REVISION = "deployment.kubernetes.io/revision"


def revisions(cluster: Cluster, workload: Object) -> list[list[dict[str, Any]]]:
    """The containers of each earlier template, the latest first; the present one is left out."""
    plural, path = "replicasets", "spec.template.spec.containers"
    if workload.kind != "Deployment":
        plural, path = "controllerrevisions", "data.spec.template.spec.containers"
    found = []
    for each in cluster.all(plural):
        owned = any(f"{o.get('kind')}/{o.get('name')}" == _short(workload) for o in each.owners)
        if each.namespace == workload.namespace and owned:
            number = each.annotations.get(REVISION) or each.fields.get("revision") or "0"
            found.append((int(number), each.fields.get(path) or []))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [containers for _, containers in found[1:]]


def earlier(cluster: Cluster, workload: Object, container: str, *path: str) -> Any:
    """The latest earlier value of a container's field that is not its present one.

    Returns:
        None when it was always so, or earlier revisions are not kept.
    """
    present = _field(
        dig(workload.fields, "spec", "template", "spec", "containers"), container, path
    )
    for containers in revisions(cluster, workload):
        value = _field(containers, container, path)
        if value != present:
            return value
    return None


def _field(containers: Any, name: str, path: tuple[str, ...]) -> Any:
    for each in containers or ():
        if each.get("name") == name:
            return dig(each, *path)
    return None


def _short(workload: Object) -> str:
    return f"{workload.kind}/{workload.name}"
