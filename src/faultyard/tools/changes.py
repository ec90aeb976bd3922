"""The tool `change_history`: what was changed lately, as the API server itself remembers it.

Three sources: the times of managed fields (who wrote which fields last), the revisions of
roll-outs, and events about other things than pods. An object that was deleted leaves only events.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from faultyard.clusters.api import ApiError, Resource
from faultyard.model.strict import Strict
from faultyard.tools import events
from faultyard.tools.arguments import Moment, Name, moment, written
from faultyard.tools.cluster import Cluster, listed, reference
from faultyard.tools.errors import Declined
from faultyard.tools.fields import paths
from faultyard.tools.json_lines import lines
from faultyard.tools.tool import Answer, Form, Tool

METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
"""Names, times and managed fields are all that is read of most kinds."""
NOISE = frozenset((
    # Written all the time by controllers and kubelets.
    "endpoints", "endpointslices", "events", "leases", "pods",
    # Shown as roll-outs.
    "controllerrevisions", "replicasets",
    # Reading other teams' Secrets is nothing to do unasked.
    "secrets",
))  # fmt: skip
REVISION = "deployment.kubernetes.io/revision"
MAX_FIELDS = 12
DESCRIPTION = """\
What was changed lately, the newest first, one JSON line each: writes (object, by which field \
manager, which fields), creations, roll-outs (revision, images) and events about other things than \
pods. Only the last write of each manager to an object is known. Secrets are left out: use kubectl \
with --show-managed-fields."""


class Arguments(Strict):
    """What `change_history` takes."""

    namespace: Name | None = Field(
        None, description="With it: what lies in that namespace, and no cluster-wide objects."
    )
    since: Moment = Field("-24h", description="-15m, RFC 3339 or unix seconds.")
    limit: int = Field(100, ge=1, le=1_000, description="At most so many changes.")


def tool(cluster: Cluster) -> Tool[Arguments]:
    """The tool, on this cluster."""

    def act(given: Arguments) -> Answer:
        since, refused = moment(given.since), []
        found: list[dict[str, Any]] = []
        for resource in _kinds(cluster, given.namespace):
            try:
                for raw in cluster.list(listed(resource, given.namespace or ""), accept=METADATA):
                    found += writes(raw, resource.kind)
            except ApiError as error:
                refused.append(f"{resource.kind} ({error.status})")
        found += _rollouts(cluster, given.namespace or "")
        found += _reported(cluster, given)
        recent = [row for row in found if row["at"] >= since]
        return _answer(recent, given.limit, refused)

    return Tool("change_history", DESCRIPTION, Form.of(Arguments), act, reads=True)


def _kinds(cluster: Cluster, namespace: str | None) -> list[Resource]:
    try:
        known = cluster.resources()
    except ApiError as error:
        raise Declined(f"change_history: {error}") from error
    return [
        each
        for each in known
        if "list" in each.verbs
        and each.resource not in NOISE
        and (each.namespaced or namespace is None)
    ]


def writes(raw: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """An object's creation and the last write of each of its managers, status aside."""
    meta = raw["metadata"]
    if not meta.get("creationTimestamp"):  # not stored but made up on request: ComponentStatus
        return
    name = reference(raw, kind)
    created = _seconds(meta["creationTimestamp"])
    yield {"at": created, "what": "created", "object": name}
    for entry in meta.get("managedFields") or ():
        if entry.get("subresource") == "status" or "time" not in entry:
            continue
        at = _seconds(entry["time"])
        if at <= created:  # a part of its creation
            continue
        fields = sorted(set(paths(entry.get("fieldsV1") or {})))
        more = [f"… {len(fields) - MAX_FIELDS} more"] if len(fields) > MAX_FIELDS else []
        yield {
            "at": at,
            "what": "write",
            "object": name,
            "by": entry.get("manager", ""),
            "operation": entry.get("operation", ""),
            "holds": [*fields[:MAX_FIELDS], *more],
        }


def _rollouts(cluster: Cluster, namespace: str) -> Iterator[dict[str, Any]]:
    for plural, kind in (("replicasets", "ReplicaSet"), ("controllerrevisions", "Revision")):
        resource = Resource("apps", "v1", plural, kind, namespaced=True, verbs=frozenset())
        try:
            for raw in cluster.list(listed(resource, namespace)):
                yield from _revision(raw)
        except ApiError as error:
            raise Declined(f"change_history: {plural}: {error}") from error


def _revision(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    meta = raw["metadata"]
    owners = [owner for owner in meta.get("ownerReferences") or () if owner.get("controller")]
    if not owners:
        return
    number = raw.get("revision") or (meta.get("annotations") or {}).get(REVISION, "")
    body = raw.get("spec") or (raw.get("data") or {}).get("spec") or {}
    containers = (body.get("template") or {}).get("spec", {}).get("containers") or ()
    yield {
        "at": _seconds(meta["creationTimestamp"]),
        "what": "rollout",
        "object": f"{owners[0]['kind']}/{meta.get('namespace', '')}/{owners[0]['name']}",
        "revision": str(number),
        "images": [each.get("image", "") for each in containers],
        "template": meta["name"],
    }


def _reported(cluster: Cluster, given: Arguments) -> Iterator[dict[str, Any]]:
    asked = events.Arguments(namespace=given.namespace)
    for raw in events.read(cluster, asked):
        about = raw["involvedObject"]
        if about.get("kind") != "Pod":
            yield {
                "at": events.last_seen(raw),
                "what": "event",
                "object": f"{about.get('kind')}/{about.get('namespace', '')}/{about.get('name')}",
                "reason": raw.get("reason"),
                "message": raw.get("message"),
            }


def _answer(found: list[dict[str, Any]], limit: int, refused: list[str]) -> Answer:
    found.sort(key=lambda row: float(row["at"]), reverse=True)
    shown = [{"time": written(row.pop("at")), **row} for row in found[:limit]]
    answer = lines(shown, "nothing was changed")
    notes = []
    if len(found) > limit:
        notes.append(f"[{len(found) - limit} older changes were cut here; limit={limit}]")
    if refused:
        notes.append(f"[you may not list: {', '.join(refused)}]")
    return Answer("\n".join([answer.text, *notes]), cut=answer.cut or len(found) > limit)


def _seconds(stamp: str) -> float:
    return datetime.datetime.fromisoformat(stamp).timestamp()
