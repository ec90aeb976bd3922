"""Objects as flat maps from field path to value, the form in which they are compared.

Items of a Kubernetes list are found by their natural key (a container's name, a port's
number), so that the order of containers, variables or ports makes no difference. Where
order has a meaning (arguments, init containers) it is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

Path = tuple[str, ...]
"""Segments of a field path; a list's item is a segment in brackets: `[rate]`."""
Leaf = str | int | float | bool | None
Fields = Mapping[Path, Leaf]

# Which members identify an item, by the name of the list; the first whose members all items
# have. A member with a default is written (member, default).
_NAME: Final = (("name",),)
_KEYS: Final[dict[str, tuple[tuple[str | tuple[str, str], ...], ...]]] = {
    "ports": (("containerPort", ("protocol", "TCP")), ("port", ("protocol", "TCP"))),
    "volumeMounts": (("mountPath",),),
    "volumeDevices": (("devicePath",),),
    "taints": (("key", "effect"),),
    "hostAliases": (("ip",),),
    "topologySpreadConstraints": (("topologyKey", "whenUnsatisfiable"),),
    "subjects": (("kind", ("namespace", ""), "name"),),
    "ownerReferences": (("uid",),),
    "conditions": (("type",),),
    "items": (("key",), ("path",)),
    "paths": (("path",),),
}
# Lists of plain values that are sets: the API server gives their order no meaning.
_SETS: Final = frozenset(
    "finalizers policyTypes verbs resources apiGroups apiVersions operations resourceNames "
    "nonResourceURLs accessModes scopes drop add validationActions matchPolicies".split()
)
# Lists with a key whose order decides behaviour all the same.
_ORDERED: Final = frozenset({"initContainers"})


def flatten(value: Any) -> dict[Path, Leaf]:
    """Return every leaf of a JSON value with its path.

    An empty mapping or list is a leaf too, written `{}` or `[]`: `emptyDir: {}` means something.
    """
    found: dict[Path, Leaf] = {}
    _walk(value, (), found)
    return found


def render(path: Path) -> str:
    """Return a path as people write it: `spec.ports[8084/TCP].targetPort`."""
    text = ""
    for segment in path:
        if segment.startswith("["):
            text += segment
        elif re.fullmatch(r"[A-Za-z0-9_-]+", segment):
            text += f".{segment}" if text else segment
        else:
            text += f"[{segment}]"
    return text


def parse_pattern(text: str) -> Path:
    """Read a field as problems write it; `[*]` stands for any item or key, `*` for all fields.

    Raises:
        ValueError: not a field path.
    """
    if text == "*":
        return ()
    parts = re.findall(r"\[([^\]]+)\]|([^.\[\]]+)|(\.)", text)
    segments = tuple(f"[{key}]" if key else word for key, word, dot in parts if not dot)
    if not segments or render_plain(segments) != text:
        raise ValueError(
            f"{text!r} is no field path; write it like spec.ports or metadata.labels[app]"
        )
    return segments


def render_plain(segments: Sequence[str]) -> str:
    """Return a pattern's segments as text."""
    text = ""
    for segment in segments:
        text += segment if segment.startswith("[") or not text else f".{segment}"
    return text


def covers(pattern: Path, path: Path) -> bool:
    """Tell whether `path` is the field of `pattern` or lies below it."""
    if len(pattern) > len(path):
        return False
    for wanted, segment in zip(pattern, path, strict=False):
        if wanted != segment and not _same(wanted, segment):  # equal: what most comparisons find
            return False
    return True


def _same(wanted: str, segment: str) -> bool:
    # A mapping's key with dots in it is written in brackets too.
    if wanted in ("[*]", f"[{segment}]"):
        return True
    # `ports[8084]` without a protocol is the usual way to name a port.
    return segment.startswith("[") and segment.endswith("/TCP]") and wanted == f"{segment[:-5]}]"


def _walk(value: Any, path: Path, found: dict[Path, Leaf]) -> None:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            _walk(item, (*path, str(key)), found)
    elif isinstance(value, dict):
        found[path] = "{}"
    elif isinstance(value, list):
        _walk_list(value, path, found)
    else:
        found[path] = value


def _walk_list(items: list[Any], path: Path, found: dict[Path, Leaf]) -> None:
    name = path[-1] if path else ""
    if not items:
        found[path] = "[]"
    elif not all(isinstance(item, dict) for item in items):
        plain = sorted(items, key=_canonical) if name in _SETS else items
        found[path] = _canonical(plain)
    else:
        keys = _item_keys(name, items)
        for key, item in zip(keys, items, strict=True):
            _walk(item, (*path, f"[{key}]"), found)
        if name in _ORDERED:
            found[(*path, "[order]")] = _canonical(keys)


def _item_keys(name: str, items: Sequence[Mapping[str, Any]]) -> list[str]:
    keys = [_item_key(name, item) for item in items]
    seen: dict[str, int] = {}
    unique = []
    for key in keys:
        seen[key] = seen.get(key, 0) + 1
        unique.append(key if seen[key] == 1 else f"{key}#{seen[key]}")
    return unique


def _item_key(name: str, item: Mapping[str, Any]) -> str:
    for members in _KEYS.get(name, _NAME):
        values = [_member(item, member) for member in members]
        if all(value is not None for value in values):
            return "/".join(str(value) for value in values)
    return _canonical(item)


def _member(item: Mapping[str, Any], member: str | tuple[str, str]) -> Any:
    if isinstance(member, tuple):
        return item.get(member[0], member[1])
    value = item.get(member)
    return value if isinstance(value, str | int) else None


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
