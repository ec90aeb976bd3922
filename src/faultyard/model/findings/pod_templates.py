"""What the pods of a workload run, by its template: whether it is as it was, or as another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from faultyard.model.case import Case
from faultyard.model.diff import ChangeKind, ObjectChange, compare_fields
from faultyard.model.fields import Fields, Leaf, Path
from faultyard.model.findings import less
from faultyard.model.pods import ended
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings

_TEMPLATES: Final[tuple[Path, ...]] = (
    ("spec", "template", "spec"),
    ("spec", "jobTemplate", "spec", "template", "spec"),
)
_ENDS: Final = ("Complete", "Failed")


def runs_otherwise(change: ObjectChange) -> ObjectChange:
    """Return what of a change is in what the object's pods run."""
    fields = tuple(field for field in change.fields if below(field.path) is not None)
    return replace(change, kind=ChangeKind.CHANGED, fields=fields)


def is_over(case: Case, ref: ObjectRef) -> bool:
    """Tell whether a Job that is there at the end is through, and ran what another one runs.

    Its pods were then given nothing, no image, command, setting, key or volume, that the
    namespace's own are not; they may have had less. One that may be made anew must have run
    what it ran itself.

    Args:
        case: the case.
        ref: what was added, or what of the boundary's is other than it was.
    """
    left = case.record.snapshots["end"].objects
    if ref.kind != "Job" or not _through(left.get(ref)) or _at_work(ref, left):
        return False
    ran = _run(case.end[ref].fields)
    known = case.known_good.items()
    own = {one: _run(state.fields) for one, state in known if one.namespace == ref.namespace}
    images = less.images(own.values())
    models = [own[ref]] if ref in own else filter(None, own.values())
    return any(
        all(less.no_more(field, ran, images) for field in compare_fields(model, ran))
        for model in models
    )


def below(path: Path) -> Path | None:
    """Return where in what a template's pods run a field is; None: in none."""
    for template in _TEMPLATES:
        if path[: len(template)] == template:
            return path[len(template) :]
    return None


def _run(fields: Fields) -> dict[Path, Leaf]:
    """Return what pods run, but for the name of an only container, which says nothing."""
    found = {below(path): value for path, value in fields.items()}
    run = {path: value for path, value in found.items() if path}
    if len({path[1] for path in run if path[0] == "containers"}) != 1:
        return run
    return {
        (path[0], "[]", *path[2:]) if path[0] == "containers" else path: value
        for path, value in run.items()
        if (path[0], path[2:]) != ("containers", ("name",))
    }


def _through(raw: Mapping[str, Any] | None) -> bool:
    """Tell whether a Job has come to its end, well or not."""
    conditions = mappings(mapping(mapping(raw).get("status")).get("conditions"))
    return any(c.get("type") in _ENDS and c.get("status") == "True" for c in conditions)


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
