"""What the pods of a workload run, by its template: whether it is as it was, or as another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from faultyard.model.case import Case
from faultyard.model.diff import ChangeKind, ObjectChange
from faultyard.model.fields import Fields, Leaf, Path
from faultyard.model.pods import ended
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings

_TEMPLATES: Final[tuple[Path, ...]] = (
    ("spec", "template", "spec"),
    ("spec", "jobTemplate", "spec", "template", "spec"),
)
# How long a pod works, how often and with how much: of what is over it says nothing any more.
_WHILE_IT_RUNS: Final = frozenset(
    {"restartPolicy", "activeDeadlineSeconds", "terminationGracePeriodSeconds", "resources"}
)


def runs_otherwise(change: ObjectChange) -> ObjectChange:
    """Return what of a change is in what the object's pods run."""
    fields = tuple(field for field in change.fields if below(field.path) is not None)
    return replace(change, kind=ChangeKind.CHANGED, fields=fields)


def is_over(case: Case, ref: ObjectRef) -> bool:
    """Tell whether a Job that is there at the end ran what another one runs, and is through.

    Its pods were then given nothing, no image, command, setting, key or volume, that the
    namespace's own are not.

    Args:
        case: the case.
        ref: what was added.
    """
    left = case.record.snapshots["end"].objects
    if ref.kind != "Job" or not _complete(left.get(ref)) or _at_work(ref, left):
        return False
    ran = _run(case.end[ref].fields)
    own = (known for one, known in case.known_good.items() if one.namespace == ref.namespace)
    return any(_run(known.fields) == ran for known in own)


def below(path: Path) -> Path | None:
    """Return where in what a template's pods run a field is; None: in none."""
    for template in _TEMPLATES:
        if path[: len(template)] == template:
            return path[len(template) :]
    return None


def _run(fields: Fields) -> dict[Path, Leaf]:
    found = {below(path): value for path, value in fields.items()}
    return {
        path: value
        for path, value in found.items()
        if path is not None and not _WHILE_IT_RUNS.intersection(path)
    }


def _complete(raw: Mapping[str, Any] | None) -> bool:
    conditions = mappings(mapping(mapping(raw).get("status")).get("conditions"))
    return any((c.get("type"), c.get("status")) == ("Complete", "True") for c in conditions)


def _at_work(job: ObjectRef, left: Mapping[ObjectRef, Mapping[str, Any]]) -> bool:
    """Tell whether a pod of a Job may still run; the Job's status is what somebody wrote."""
    uid = mapping(left[job].get("metadata")).get("uid")
    return any(
        not ended(raw)
        for ref, raw in left.items()
        if ref.kind == "Pod" and ref.namespace == job.namespace
        for owner in mappings(mapping(raw.get("metadata")).get("ownerReferences"))
        if owner.get("uid") == uid
    )
