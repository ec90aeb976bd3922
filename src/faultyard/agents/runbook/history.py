"""What a workload's containers were before: its own revisions tell."""

from __future__ import annotations

from typing import Any

from .cluster import Cluster, containers
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
    return [template for _, template in found[1:]]


def before(cluster: Cluster, workload: Object, container: str, *path: str) -> Any:
    """A container as it was in the latest revision in which a field was not as it is now.

    Returns:
        None when it was always so, or earlier revisions are not kept.
    """
    present = _named(containers(workload), container)
    for revision in revisions(cluster, workload):
        found = _named(revision, container)
        if found is not None and dig(found, *path) != dig(present, *path):
            return found
    return None


def earlier(cluster: Cluster, workload: Object, container: str, *path: str) -> Any:
    """The latest earlier value of a container's field that is not its present one, or None."""
    return dig(before(cluster, workload, container, *path), *path)


def _named(found: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((each for each in found if each.get("name") == name), None)


def _short(workload: Object) -> str:
    return f"{workload.kind}/{workload.name}"
