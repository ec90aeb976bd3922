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
