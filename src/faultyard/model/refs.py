"""References to Kubernetes objects, as people write them: `Kind/namespace/name`.

Built-in kinds are written bare (`Deployment/hotel/rate`). A kind of a custom group carries
its group (`Widget.example.com/hotel/w`), because two groups may use one kind's name.
A cluster-wide object has an empty namespace (`Node//worker-1`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, order=True)
class ObjectRef:
    """One object's place in a cluster; `namespace` is empty for cluster-wide objects."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"

    @classmethod
    def parse(cls, text: str) -> ObjectRef:
        """Read `Kind/namespace/name`.

        Raises:
            ValueError: not of that form; the message says what is expected.
        """
        parts = text.split("/")
        if len(parts) != 3 or not parts[0] or not parts[2]:
            raise ValueError(
                f"{text!r} is no object reference; write Kind/namespace/name, "
                "or Kind//name for a cluster-wide object"
            )
        return cls(parts[0], parts[1], parts[2])


def kind_name(kind: str, group: str) -> str:
    """Return how a kind of an API group is written in references."""
    builtin = "." not in group or group.endswith(".k8s.io")
    return kind if builtin else f"{kind}.{group}"


def ref_of(raw: Mapping[str, Any]) -> ObjectRef:
    """Return the reference of a raw API object (apiVersion, kind and metadata filled in).

    Raises:
        ValueError: the object has no kind or no name.
    """
    metadata = raw.get("metadata") or {}
    kind, name = raw.get("kind"), metadata.get("name")
    if not kind or not name:
        raise ValueError(f"an object without kind or name: {str(raw)[:80]}")
    version = str(raw.get("apiVersion", ""))
    group = version.split("/", maxsplit=1)[0] if "/" in version else ""
    return ObjectRef(kind_name(str(kind), group), str(metadata.get("namespace") or ""), str(name))
