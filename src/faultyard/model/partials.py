"""Partial manifests: what a change says, and how it is laid over a whole manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def merge(base: Mapping[str, Any], partial: Mapping[str, Any]) -> dict[str, Any]:
    """Lay a partial manifest over a whole one.

    Maps are merged key by key, lists of named items by name; everything else is replaced.
    """
    result = dict(base)
    for key, value in partial.items():
        mine = result.get(key)
        if isinstance(mine, Mapping) and isinstance(value, Mapping):
            result[key] = merge(mine, value)
        elif _named(mine) and _named(value):
            result[key] = _merge_named(mine or [], value)
        else:
            result[key] = value
    return result


def _named(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, Mapping) and "name" in x for x in value)


def _merge_named(
    base: Sequence[Mapping[str, Any]], partial: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    items = {item["name"]: item for item in base}
    for item in partial:
        items[item["name"]] = merge(items.get(item["name"], {}), item)
    return list(items.values())


def changed_fields(partial: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The paths that a partial manifest sets: down to the first list or value.

    Keys with a dot in them (annotations, labels) are named by the map that holds them.
    """
    if not prefix:
        partial = {k: v for k, v in partial.items() if k not in ("apiVersion", "kind")}
    if any("." in key for key in partial):
        return [prefix]
    found: list[str] = []
    for key, value in partial.items():
        path = f"{prefix}.{key}" if prefix else key
        if path in ("metadata.name", "metadata.namespace"):
            continue
        if isinstance(value, Mapping) and value:
            found += changed_fields(value, path)
        else:
            found.append(path)
    return found
