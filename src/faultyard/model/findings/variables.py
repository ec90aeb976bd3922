"""Variables that a workload's template states itself, beside the settings it is given to share.

One that is stated there has the last word: whoever changes the shared setting changes nothing for
this workload any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from faultyard.model.case import Case
from faultyard.model.diff import ABSENT, FieldChange, ObjectChange
from faultyard.model.fields import Path
from faultyard.model.findings.pod_templates import below
from faultyard.model.refs import ObjectRef
from faultyard.model.restarting import told_by
from faultyard.model.shapes import mapping, mappings, pod_spec

_CONTAINERS: Final = ("containers", "initContainers")
_SOURCES: Final = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_DATA: Final = frozenset({"data", "binaryData"})
_AGAIN: Final = re.compile(r"#\d+$")
"""Behind the name of an item that a list has twice."""


def overrides(case: Case, ref: ObjectRef, field: FieldChange) -> bool:
    """Tell whether a field belongs to a variable that the container has by right.

    From its own template, or from the settings that it is given as a whole.

    Args:
        case: the case.
        ref: the workload.
        field: what of it is other than known-good.
    """
    container, name = _place(field.path)
    return bool(name) and name in _by_right(case, ref, container)


def only_restart(case: Case, change: ObjectChange, field: FieldChange) -> bool:
    """Tell whether a field belongs to a new variable that only has pods made anew.

    By its name it tells of a restart, it says what it says itself, and the container has none of
    that name.
    """
    container, name = _place(field.path)
    if not told_by(name) or overrides(case, change.ref, field):
        return False
    entry = [other for other in change.fields if _place(other.path) == (container, name)]
    return all(other.before is ABSENT and other.path[-1] in ("name", "value") for other in entry)


def _place(path: Path) -> tuple[str, str]:
    """Return the container and the variable of a field; of one of no variable neither."""
    match below(path):
        case (kind, container, "env", entry, *_) if kind in _CONTAINERS:
            return container[1:-1], _AGAIN.sub("", entry[1:-1])
    return "", ""


def _by_right(case: Case, ref: ObjectRef, container: str) -> set[str]:
    spec = pod_spec(case.raw_known_good(ref))
    known = [raw for kind in _CONTAINERS for raw in mappings(spec.get(kind))]
    return {
        name
        for raw in known
        if raw.get("name") == container
        for name in (*_stated(raw), *_shared(case, ref.namespace, raw))
    }


def _stated(container: Mapping[str, Any]) -> Iterator[str]:
    return (str(variable.get("name")) for variable in mappings(container.get("env")))


def _shared(case: Case, namespace: str, container: Mapping[str, Any]) -> Iterator[str]:
    for source in mappings(container.get("envFrom")):
        for member, kind in _SOURCES.items():
            ref = ObjectRef(kind, namespace, str(mapping(source.get(member)).get("name")))
            settings = case.known_good.get(ref)
            for path in settings.fields if settings else ():
                if path[0] in _DATA and len(path) > 1:
                    yield f"{source.get('prefix') or ''}{path[1]}"
