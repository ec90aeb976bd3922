"""Managed fields in words: `fieldsV1` as paths.

The format: a map whose keys are `f:name` for a field, `k:{…}` for the entry of a list with these
keys, `v:value` for an entry of a set, `.` for the thing itself (structured-merge-diff).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def paths(fields: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """The paths of all leaves, such as `spec.template.spec.containers[name=web].image`."""
    for key, inner in fields.items():
        if key == ".":
            continue
        path = f"{prefix}{_step(key, prefix)}"
        below = {name for name in inner if name != "."}
        if below:
            yield from paths(inner, path)
        else:
            yield path


def _step(key: str, prefix: str) -> str:
    kind, _, rest = key.partition(":")
    if kind == "f":
        return f".{rest}" if prefix else rest
    if kind == "k":
        keys = json.loads(rest)
        return "[" + ",".join(f"{name}={value}" for name, value in sorted(keys.items())) + "]"
    return f"[{rest}]"
