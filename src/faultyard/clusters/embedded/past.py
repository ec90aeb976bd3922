"""What a stored object says of the past, moved: a cluster of a minute looks like one of days.

Pure functions over the JSON that the API server stores. None of it can be done through the API,
which sets times itself.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from faultyard.model import pods

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
CONTENT = ("data", "stringData", "binaryData")
"""What users wrote, which no time of the cluster is in."""
BEATS = ("lastHeartbeatTime", "renewTime", "acquireTime")
"""Times that are young in a running cluster of any age."""
BEATING = ("Event", "Pod")
"""Kinds whose times are set again and again by who owns them."""
OF_ADDRESSES = ("Endpoints", "EndpointSlice")
"""Kinds that follow from the addresses of pods, which may or may not be those of before."""
SLICES_BY = "endpointslice.kubernetes.io/managed-by"
SLICE_CONTROLLER = "endpointslice-controller.k8s.io"

Json = dict[str, Any]


def moved(text: str, by: timedelta) -> str:
    """A time as Kubernetes writes it, by whole seconds earlier or later; fractions stay."""
    whole, fraction = text[:19], text[19:]
    when = datetime.fromisoformat(whole).replace(tzinfo=UTC) + by
    return f"{when:%Y-%m-%dT%H:%M:%S}{fraction}"


def woken(stored: str, by: timedelta, renamed: Mapping[str, str]) -> str:
    """An object of a stopped cluster, as it has to be when another one begins with it.

    All its times are moved. Its pods have no containers yet, since the nodes are other ones: a
    kubelet that found containers in the status which its runtime does not know would count them
    as crashed. Endpoints are the new pods', once they are ready.

    Args:
        stored: what the API server stored.
        by: how far to move times, in whole seconds.
        renamed: texts to replace wherever they stand, such as the authority's certificate.
    """
    for old, new in renamed.items():
        stored = stored.replace(old, new)
    item = _object(stored)
    if item is None:
        return stored
    item = _walk(item, lambda text: moved(text, by), CONTENT)
    if item.get("kind") == "CronJob" and "lastScheduleTime" in item.get("status", {}):
        item["spec"]["schedule"] = daily(item["status"]["lastScheduleTime"])
    if item.get("kind") == "Pod" and not pods.ended(item):
        item["status"] = _unborn(item.get("status", {}))
    if item.get("metadata", {}).get("labels", {}).get(SLICES_BY) == SLICE_CONTROLLER:
        item["endpoints"] = []
    return json.dumps(item, separators=(",", ":"))


def aged(stored: str, since: datetime, by: timedelta) -> str:
    """An object of a running cluster, with what happened to it since then moved to the past.

    Args:
        stored: what the API server stored.
        since: times before it stay.
        by: how far into the past the others go.
    """
    item = _object(stored)
    if item is None or item.get("kind") in BEATING:
        return stored

    def earlier(text: str) -> str:
        when = datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
        return moved(text, -by) if when >= since else text

    changed = _walk(item, earlier, (*CONTENT, *_beats(item)))
    return stored if changed == item else json.dumps(changed, separators=(",", ":"))


def steady(stored: str, before: str) -> str:
    """An object without what changed and changed back while its cluster began.

    A node that was not ready for a moment leaves other times, and other writers of fields; none
    of it is in a cluster that has been running for days.

    Args:
        stored: what the API server stores now.
        before: what it stored when the cluster began.

    Returns:
        As it was, if it is the same but for times and writers, with the heartbeats of now; else
        with the times of those of its conditions and writers that are the same. What follows
        from addresses of pods keeps these, and is written by whom and when it was.
    """
    now, then = _object(stored), _object(before)
    if now is None or then is None or now.get("kind") in BEATING:
        return stored
    if now["kind"] in OF_ADDRESSES:
        made = {**now, "metadata": _about_addresses(now["metadata"], then["metadata"])}
    elif _timeless(now) == _timeless(then):
        made = _beating(then, now, _beats(now))
    else:
        made = copy.deepcopy(now)
        for place in (("status", "conditions"), ("metadata", "managedFields")):
            _restore(_entries(made, *place), _entries(then, *place))
    return stored if made == now else json.dumps(made, separators=(",", ":"))


def _about_addresses(now: Json, then: Json) -> Json:
    """Whether its controller notes when pods changed is chance of the start.

    The generation of a slice stays: a lower one is an out-of-date cache to its controller, which
    waits for the one that it wrote.
    """
    if now.get("uid") != then.get("uid"):
        return now
    kept = {"generation": now["generation"]} if "generation" in now else {}
    return {**then, **kept}


def _entries(item: Json, part: str, name: str) -> list[Json]:
    found: list[Json] = item.get(part, {}).get(name) or []
    return found


def _restore(items: list[Json], old: list[Json]) -> None:
    """Give entries that are the same but for times the times of before; heartbeats stay."""
    known = {_text(each): each for each in old}
    for item in items:
        was = known.get(_text(item))
        if was is not None:
            item.update({key: each for key, each in was.items() if key not in BEATS})


def _text(entry: Json) -> str:
    return json.dumps(_without_times(entry), sort_keys=True)


def _timeless(item: Json) -> Json:
    about = {key: each for key, each in item["metadata"].items() if key != "managedFields"}
    return _without_times({**item, "metadata": about})


def _without_times(item: Json) -> Json:
    same: Json = _walk(item, lambda _: "", CONTENT)
    return same


def _beats(item: Json) -> tuple[str, ...]:
    """What is young in it at any age: who holds a lease writes it every few seconds."""
    return (*BEATS, "managedFields") if item["kind"] == "Lease" else BEATS


def _beating(then: Any, now: Any, beats: Sequence[str]) -> Any:
    """What was, with the heartbeats of what is; both have the same shape but for times."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {
            key: now.get(key) if key in beats else _beating(each, now.get(key), beats)
            for key, each in then.items()
        }
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [_beating(one, other, beats) for one, other in zip(then, now, strict=True)]
    return then


def daily(text: str) -> str:
    """The schedule of what happens every day at the hour and minute of this time."""
    when = datetime.fromisoformat(text[:19])
    return f"{when.minute} {when.hour} * * *"


def _object(stored: str) -> Json | None:
    """The object, if it is one: etcd holds marks of other components, too."""
    try:
        loaded = json.loads(stored)
    except ValueError:
        return None
    return loaded if isinstance(loaded, dict) and "kind" in loaded else None


def _walk(value: Any, move: Callable[[str], str], kept: Sequence[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: each if key in kept else _walk(each, move, kept) for key, each in value.items()
        }
    if isinstance(value, list):
        return [_walk(each, move, kept) for each in value]
    if isinstance(value, str) and TIME.fullmatch(value):
        return move(value)
    return value


def _unborn(status: Mapping[str, Any]) -> Json:
    """The status of a pod that is assigned to its node, and that is all."""
    conditions = [c for c in status.get("conditions", []) if c["type"] == "PodScheduled"]
    kept = {key: status[key] for key in ("qosClass", "startTime") if key in status}
    return {"phase": "Pending", "conditions": conditions, **kept}
