"""Labels and notes that somebody put on an object, and that nothing in the cluster reads."""

from __future__ import annotations

import re
from typing import Final

from faultyard.model.case import Case
from faultyard.model.diff import ABSENT, FieldChange
from faultyard.model.fields import Leaf, Path
from faultyard.model.refs import ObjectRef
from faultyard.model.restarting import is_note, unread

_ANNOTATIONS: Final[Path] = ("metadata", "annotations")
_LABELS: Final[Path] = ("metadata", "labels")
_POD_LABELS: Final[Path] = ("spec", "template", "metadata", "labels")
# Sidecars find these by labels, and by notes of a domain, that only their own settings name.
_SETTINGS: Final = frozenset({"ConfigMap", "Secret"})
_SELECTING: Final = re.compile(r"selector|matchLabel|matchExpression", re.IGNORECASE)


def idle(case: Case, ref: ObjectRef, field: FieldChange) -> bool:
    """Tell whether a field is a new label or note of an object that leads nobody to anything.

    Args:
        case: the case.
        ref: the object.
        field: what of it is other than known-good.
    """
    place, key = field.path[:-1], field.path[-1]
    domain = key.rpartition("/")[0]
    if place not in (_ANNOTATIONS, _LABELS) or field.before is not ABSENT:
        return False
    if ref.kind in _SETTINGS and (domain or place == _LABELS):
        return False
    if not unread(domain) or _of_own_kinds(case, domain):
        return False
    return place == _ANNOTATIONS or not _selected(case, key)


def only_restart(case: Case, field: FieldChange) -> bool:
    """Tell whether a field is a new label of a template that only has pods made anew."""
    place, key = field.path[:-1], field.path[-1]
    new = place == _POD_LABELS and field.before is ABSENT
    return new and is_note(key, new=True) and not _selected(case, key)


def _of_own_kinds(case: Case, domain: str) -> bool:
    """Tell whether the cluster has kinds of a domain, and so probably an operator for them."""
    groups = {group for group, _ in case.kinds if group}
    return any(domain == group or domain.endswith(f".{group}") for group in groups)


def _selected(case: Case, key: str) -> bool:
    """Tell whether anything asks for a label, as it was right or as it is."""
    states = (case.known_good, case.end)
    return any(
        _asks(path, leaf, key)
        for state in states
        for known in state.values()
        for path, leaf in known.fields.items()
    )


def _asks(path: Path, leaf: Leaf, key: str) -> bool:
    if any(segment in ("labels", "annotations") for segment in path):
        return False
    if leaf == key:  # what a selector, or a program's setting, goes by
        return True
    if any(_SELECTING.search(segment) for segment in path):
        return key in path or (isinstance(leaf, str) and f'"{key}"' in leaf)
    # In an expression, an option of a program, or a reference such as metadata.labels['key'].
    named = rf"(?:label|selector)[^\s,]*(?<![\w./-]){re.escape(key)}(?![\w./-])"
    return isinstance(leaf, str) and bool(re.search(named, leaf, re.IGNORECASE))
