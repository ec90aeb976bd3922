"""Taking a snapshot: every object of every kind that the API server serves."""

from __future__ import annotations

import json
import time
from typing import Any

from faultyard.clusters.api import Api, ApiError, Resource

# Served by list, but not state: computed on each request, or a log.
NOT_STATE = frozenset(
    {("", "componentstatuses"), ("metrics.k8s.io", "nodes"), ("metrics.k8s.io", "pods")}
)


def take(api: Api) -> bytes:
    """List everything; kinds come from discovery, so custom resources are in it.

    Args:
        api: an administrator's connection, inside the cluster's network.

    Returns:
        The snapshot's file; a kind that could not be listed is in its `errors`, a gap.
    """
    taken_at = time.time()
    errors: list[dict[str, str]] = []
    objects: list[dict[str, Any]] = []
    kinds = _kinds(api)
    for kind in kinds:
        try:
            objects += list(_objects(api, kind))
        except ApiError as error:
            errors.append({"resource": f"{kind.resource}.{kind.group}", "message": str(error)})
    resources = [
        {
            "group": kind.group,
            "version": kind.version,
            "kind": kind.kind,
            "resource": kind.resource,
            "namespaced": kind.namespaced,
        }
        for kind in kinds
    ]
    snapshot = {
        "schema": 1,
        "taken_at": taken_at,
        "resources": resources,
        "objects": objects,
        "errors": errors,
    }
    return json.dumps(snapshot, separators=(",", ":")).encode()


def _kinds(api: Api) -> list[Resource]:
    """Each kind once: `events` are served by two groups, and both are the same objects."""
    kinds = [
        kind
        for kind in api.resources()
        if "list" in kind.verbs and (kind.group, kind.resource) not in NOT_STATE
    ]
    return [kind for kind in kinds if (kind.group, kind.resource) != ("events.k8s.io", "events")]


def _objects(api: Api, kind: Resource) -> list[dict[str, Any]]:
    return [
        {**item, "apiVersion": kind.api_version, "kind": kind.kind} for item in api.list(kind.path)
    ]
