"""Traces of changes by people and pipelines, as they stand in the metadata of objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Raw = Mapping[str, Any]

HOUR = timedelta(hours=1)
START = timedelta(seconds=20)
"""How long installing something takes: what was written until then belongs to it."""
CONTROLLERS = (
    "kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubeadm coredns "
    "local-path-provisioner api-priority-and-fairness-config-producer-v1 "
    "api-priority-and-fairness-config-consumer-v1 clusterrole-aggregation-controller "
    "service-cidr-controller kubernetes-service-cidr-controller"
).split()
"""Managers of fields that are parts of Kubernetes: they follow, nobody told them."""
DERIVED = frozenset(
    ("Event", "Lease", "Pod", "ReplicaSet", "ControllerRevision", "Endpoints", "EndpointSlice")
)
"""Kinds that controllers make."""
WORKLOADS = frozenset(("Deployment", "StatefulSet", "DaemonSet"))
VERSION = "app.kubernetes.io/version"
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True)
class Trace:
    """What an object's metadata tells of its last change by somebody."""

    ref: str
    """Kind/namespace/name."""
    kind: str
    name: str
    created: datetime
    changed: datetime
    managers: tuple[str, ...]
    fields: frozenset[str]
    """Paths of the fields that somebody manages."""
    applied_differs: bool
    """Whether it is other than what was applied last, as far as that was noted."""
    revisions: tuple[str, ...] = ()
    """Of a workload: the version labels of its revisions, oldest first."""
    revised: datetime | None = None
    """When the newest revision was made."""
    restarts: int = 0
    """Of its containers."""


def now(objects: Iterable[Raw]) -> datetime:
    """The youngest time that any object tells."""
    return max(time for one in objects for time in _times(one))


def traces(objects: Sequence[Raw]) -> list[Trace]:
    """Every object that somebody manages, whenever it was changed."""
    owned = _owned(objects)
    return [
        _trace(one, owned)
        for one in objects
        if one["kind"] not in DERIVED and any(map(_is_somebodys, _entries(one)))
    ]


def grants(one: Raw, username: str) -> bool:
    """Whether an object gives somebody rights."""
    return any(subject.get("name") == username for subject in one.get("subjects") or ())


def recent(found: Sequence[Trace], moment: datetime) -> list[Trace]:
    """Those that were changed in the last hour, and after all of it was installed."""
    births = sorted(one.created for one in found)
    installed = births[len(births) // 2] + START
    since = max(moment - HOUR, installed)
    return [one for one in found if one.changed > since]


def parsed(text: str) -> datetime:
    """A time as Kubernetes writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _trace(one: Raw, owned: Mapping[str, list[Raw]]) -> Trace:
    meta = one["metadata"]
    entries = [entry for entry in _entries(one) if _is_somebodys(entry)]
    sets = sorted(
        (o for o in owned.get(meta.get("uid", ""), ()) if o["kind"] == "ReplicaSet"),
        key=lambda o: int(
            o["metadata"].get("annotations", {}).get("deployment.kubernetes.io/revision", 0)
        ),
    )
    return Trace(
        ref=f"{one['kind']}/{meta.get('namespace', '')}/{meta['name']}",
        kind=one["kind"],
        name=meta["name"],
        created=parsed(meta["creationTimestamp"]),
        changed=max(parsed(entry["time"]) for entry in entries),
        managers=tuple(sorted({entry["manager"] for entry in entries})),
        fields=frozenset(path for entry in entries for path in _paths(entry.get("fieldsV1", {}))),
        applied_differs=_applied_differs(one),
        revisions=tuple(
            str(o["spec"]["template"]["metadata"].get("labels", {}).get(VERSION)) for o in sets
        ),
        revised=parsed(sets[-1]["metadata"]["creationTimestamp"]) if sets else None,
        restarts=_restarts(one, owned),
    )


def _owned(objects: Iterable[Raw]) -> dict[str, list[Raw]]:
    found: dict[str, list[Raw]] = {}
    for one in objects:
        for owner in one["metadata"].get("ownerReferences", ()):
            found.setdefault(owner["uid"], []).append(one)
    return found


def _restarts(one: Raw, owned: Mapping[str, list[Raw]]) -> int:
    total, waiting = 0, [one]
    while waiting:
        for child in owned.get(waiting.pop()["metadata"].get("uid", ""), ()):
            waiting.append(child)
            statuses = child.get("status", {}).get("containerStatuses", ())
            if child["kind"] == "Pod":
                total += sum(status.get("restartCount", 0) for status in statuses)
    return total


def _entries(one: Raw) -> list[Raw]:
    return [e for e in one["metadata"].get("managedFields", ()) if "time" in e]


def _is_somebodys(entry: Raw) -> bool:
    return entry["manager"] not in CONTROLLERS and entry.get("subresource") != "status"


def _times(one: Raw) -> Iterable[datetime]:
    yield parsed(one["metadata"]["creationTimestamp"])
    yield from (parsed(entry["time"]) for entry in _entries(one))


def _paths(fields: Raw, prefix: str = "") -> Iterable[str]:
    for name, inner in fields.items():
        path = f"{prefix}.{name}"
        yield path
        yield from _paths(inner, path)


def _applied_differs(one: Raw) -> bool:
    text = one["metadata"].get("annotations", {}).get(APPLIED)
    return text is not None and not _within(json.loads(text), one)


def _within(small: Any, large: Any) -> bool:
    """Whether all that the one says stands in the other; lists are compared item by item."""
    if isinstance(small, dict) and isinstance(large, dict):
        return all(_within(value, large.get(key)) for key, value in small.items())
    if isinstance(small, list) and isinstance(large, list):
        return len(small) == len(large) and all(map(_within, small, large))
    return bool(small == large) or small in (None, {}, [], "")
