"""Reading the API server as the agent: the same rights, and the same traces in the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from faultyard.clusters.api import Resource


class Cluster(Protocol):
    """What `events` and `change_history` need of a client of the API server."""

    def resources(self) -> list[Resource]:
        """Every kind that discovery knows."""
        ...

    def list(
        self, path: str, *, accept: str = ..., selector: str = ...
    ) -> Iterator[dict[str, Any]]:
        """All objects of a list.

        Args:
            path: of the list.
            accept: the media type that is asked for.
            selector: a field selector.

        Raises:
            ApiError: it is refused.
            ClusterError: there is no answer.
        """
        ...


def reference(raw: Mapping[str, Any], kind: str = "") -> str:
    """`Kind/namespace/name` of an object, or of a reference to one."""
    meta = raw.get("metadata", raw)
    place = meta.get("namespace") or ""
    return f"{kind or raw.get('kind', '')}/{place}/{meta.get('name', '')}"


def listed(resource: Resource, namespace: str) -> str:
    """The path of a kind's list, in one namespace or (empty) all."""
    if not namespace or not resource.namespaced:
        return resource.path
    prefix, _, plural = resource.path.rpartition("/")
    return f"{prefix}/namespaces/{namespace}/{plural}"
