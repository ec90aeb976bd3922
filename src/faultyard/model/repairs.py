"""Whether somebody has begun to repair what a fault changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultyard.model.fields import Leaf, Path, covers
from faultyard.model.known_good import DeclaredChange
from faultyard.model.normal import normal_object


def touched(
    broken: DeclaredChange, injected: Mapping[str, Any] | None, now: Mapping[str, Any] | None
) -> bool:
    """Tell whether the fields that a fault changed are other than it left them.

    Args:
        broken: what the fault changed of an object.
        injected: the raw object as the fault left it; None: it is gone by the fault.
        now: the raw object as it is; None: it is not there.
    """
    return _fields(broken, injected) != _fields(broken, now)


def _fields(broken: DeclaredChange, raw: Mapping[str, Any] | None) -> dict[Path, Leaf] | None:
    if raw is None:
        return None
    fields = normal_object(broken.ref, raw).fields
    patterns = broken.patterns
    return {path: leaf for path, leaf in fields.items() if any(covers(p, path) for p in patterns)}
