"""Whether pods that are through were given no more than others, by what their templates say.

Of what is over nothing runs on: what it lacked, and how it was kept in bounds, harms nobody any
more. What it ran, and with which keys and volumes, may have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from faultyard.model.diff import ABSENT, FieldChange
from faultyard.model.fields import Fields, Path

# How long a pod works, how often and with how much, and where its image came from.
_WHILE_IT_RUNS: Final = frozenset(
    {
        "restartPolicy",
        "activeDeadlineSeconds",
        "terminationGracePeriodSeconds",
        "resources",
        "imagePullPolicy",
    }
)
_THE_SAME: Final = re.compile(r"(?:\w+_)?DEADLINE|(?:\w+_)?LOG_LEVEL|GOMEMLIMIT|GOMAXPROCS|GOGC")
"""Variables that say the same to a program: when it gives up, how much it tells and takes."""
_HARDENED: Final = frozenset(
    {
        ("securityContext", "{}"),
        ("runAsNonRoot", True),
        ("readOnlyRootFilesystem", True),
        ("allowPrivilegeEscalation", False),
        ("privileged", False),
        ("type", "RuntimeDefault"),
    }
)
_CONTAINERS: Final = ("containers", "initContainers")
_TOKEN: Final = ("automountServiceAccountToken",)
_PROGRAM: Final = ("command", "args")


def images(runs: Iterable[Fields]) -> frozenset[object]:
    """Return the images of what runs by right.

    Args:
        runs: what of each is below its template's pods.
    """
    return frozenset(value for run in runs for path, value in run.items() if _of(path) == "image")


def no_more(field: FieldChange, ran: Fields, known: frozenset[object]) -> bool:
    """Tell whether a difference gave pods that are through nothing that their model had not.

    Args:
        field: of a model to what ran.
        ran: all that ran.
        known: images that the namespace has by right.
    """
    path = field.path
    if _only_at_work(path) or _bounds(field) or _says_the_same(path):
        return True
    if path == _TOKEN:
        # Without one that is stated it is an account that may do nothing.
        return field.after is ABSENT and ("serviceAccountName",) not in ran
    if _of(path) == "image":
        # Where no command is stated the image is the program.
        return field.after in known and (*path[:2], "command") in ran
    return field.after is ABSENT and _of(path) not in _PROGRAM and _gone(path, ran)


def _only_at_work(path: Path) -> bool:
    return path[0] in _WHILE_IT_RUNS or (path[0] in _CONTAINERS and path[2] in _WHILE_IT_RUNS)


def _of(path: Path) -> str:
    """Return what of a container a field is, if it is no deeper."""
    return path[2] if len(path) == 3 and path[0] in _CONTAINERS else ""


def _bounds(field: FieldChange) -> bool:
    """Tell whether a field keeps a pod in tighter bounds than if it were not there."""
    if "securityContext" not in field.path:
        return False
    name, after = field.path[-1], field.after
    if name in ("runAsUser", "runAsGroup"):
        return isinstance(after, int) and after > 0
    # Which capabilities are dropped, fewer or more: whoever says nothing drops none.
    return name == "drop" or (name, after) in _HARDENED


def _says_the_same(path: Path) -> bool:
    match path:
        case (kind, _, "env", entry, "name" | "value") if kind in _CONTAINERS:
            return bool(_THE_SAME.fullmatch(entry[1:-1]))
    return False


def _gone(path: Path, ran: Fields) -> bool:
    """Tell whether all is gone of what a field belongs to.

    A volume without its `readOnly`, or a variable whose reference became a value, is another one.
    """
    for depth, segment in enumerate(path):
        if segment.startswith("[") and path[depth - 1] not in _CONTAINERS:
            item = path[: depth + 1]
            return not any(other[: depth + 1] == item for other in ran)
    return True
