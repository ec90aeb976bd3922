"""Bodies of requests are what a client sent: nothing in them need be of its schema's type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list's items; of anything else none."""
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list; of anything else none."""
    return [item for item in items(value) if isinstance(item, dict)]


def pod_spec(body: object) -> Mapping[str, Any]:
    """Return a pod's own specification, or that in the template of whatever makes pods."""
    spec = mapping(body).get("spec")
    while isinstance(spec, dict):
        inner = spec.get("jobTemplate") or spec.get("template")
        if not isinstance(inner, dict):
            return spec
        spec = inner.get("spec")
    return {}
