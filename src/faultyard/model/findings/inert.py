"""Settings to which nothing refers, such as a copy that somebody kept: they do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from faultyard.model.case import Case
from faultyard.model.fields import Fields, Path, flatten
from faultyard.model.pods import ended
from faultyard.model.refs import ObjectRef

_NAME: Final[Path] = ("metadata", "name")
_NAMED: Final = frozenset({_NAME, ("metadata", "namespace")})
# Labels and notes that say whose something is; by others sidecars and operators find their own.
_TELLING: Final = "app.kubernetes.io"
_OWN: Final = ".internal"


def inert(case: Case, ref: ObjectRef) -> bool:
    """Tell whether a ConfigMap that is there at the end is read by nothing.

    Args:
        case: the case.
        ref: what was added.
    """
    if ref.kind != "ConfigMap":
        return False
    metadata = [path for path in case.end[ref].fields if path[0] == "metadata"]
    if not all(path in _NAMED or _tells(path) for path in metadata):
        return False
    return not any(
        leaf == ref.name and path != _NAME
        for fields in _others(case, ref)
        for path, leaf in fields.items()
    )


def _tells(path: Path) -> bool:
    place, domain = path[1], path[-1].rpartition("/")[0]
    if place not in ("labels", "annotations"):
        return False  # whom it belongs to, or what keeps it
    private = place == "annotations" and not domain
    return private or domain == _TELLING or domain.endswith(_OWN)


def _others(case: Case, ref: ObjectRef) -> Iterator[Fields]:
    """Yield all that may refer to it: what people decide, and whatever pods there are."""
    yield from (other.fields for one, other in case.end.items() if one != ref)
    for raw in case.record.snapshots["end"].of_kind("Pod", ref.namespace).values():
        if not ended(raw):
            yield flatten(raw.get("spec"))
