"""What can be seen in a cell before an injection, without what no two clusters share.

Two of them are equal if nothing tells one trial's cluster from another's. Left out are UIDs,
versions, keys, addresses and identities that are drawn or dealt out anew, and how many seconds a
start took: a time since the start is only that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from faultyard.clusters.embedded.past import TIME, daily

Json = dict[str, Any]

DRAWN = ("uid", "resourceVersion", "containerID", "podIP", "podIPs", "subsets", "endpoints")
"""Addresses are dealt out in the order in which pods come; endpoints are these addresses."""
PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", re.DOTALL)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BUNDLE = re.compile(r"(kube-apiserver-serving:)[0-9a-f]+")
POD_ADDRESS = re.compile(r"10\.240\.(\d+)\.\d+")
SINCE = "since the start"
KEYS = re.compile(r"\.(crt|key|kubeconfig)$|/kubeconfig$|authorized_keys")
LINK = re.compile(r"fe80::[0-9a-f:]+|([0-9a-f]{2}:){5}[0-9a-f]{2}")
OF_PODS = re.compile(r"veth|nf_conntrack_count")
"""Interfaces of single pods, with names that are drawn, and how much they talk."""


def objects(listed: Iterable[Json]) -> dict[str, Json]:
    """All API objects by kind, namespace and name.

    Args:
        listed: as the API server answers.
    """
    items = list(listed)
    base, young = (_born(items, which) for which in (_is_hotel, _is_lease_of_server))
    found = {}
    for item in items:
        about = item["metadata"]
        name = "/".join((item["kind"], about.get("namespace", ""), about["name"]))
        # Of a slice it counts the steps in which pods became ready.
        counted = {"generation": 0} if item["kind"] == "EndpointSlice" else {}
        whole = {**item, "metadata": {**about, **counted}}
        if item["kind"] == "CronJob":
            # The hour of its last run, which is as long ago in every cell.
            assert item["spec"]["schedule"] == daily(item["status"]["lastScheduleTime"])
            whole["spec"] = {**item["spec"], "schedule": "daily"}
        found[_address(name)] = _seen(whole, base, young)
    return found


def _born(items: Iterable[Json], which: Callable[[Json], bool]) -> datetime:
    return next(time_of(each["metadata"]["creationTimestamp"]) for each in items if which(each))


def _is_lease_of_server(item: Json) -> bool:
    """The first that a new API server writes: what is older comes from the template."""
    return bool(item["kind"] == "Lease" and item["metadata"]["name"].startswith("apiserver-"))


def _is_hotel(item: Json) -> bool:
    return bool(item["kind"] == "Namespace" and item["metadata"]["name"] == "hotel")


def _seen(value: Any, base: datetime, young: datetime) -> Any:
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in DRAWN}
        return {_address(key): _seen(each, base, young) for key, each in kept.items()}
    if isinstance(value, list):
        # Managers of fields and conditions stand in the order of their times.
        return sorted((_seen(each, base, young) for each in value), key=json.dumps)
    if isinstance(value, str):
        return _text(value, base, young)
    return value


def _text(value: str, base: datetime, young: datetime) -> str:
    if TIME.fullmatch(value):
        when = time_of(value)
        return SINCE if when >= young else f"{(when - base).total_seconds():+.0f} s"
    return _address(UUID.sub("UUID", PEM.sub("CERTIFICATE", value)))


def _address(text: str) -> str:
    """Without what is dealt out in the order in which pods come, and hashes of keys."""
    return BUNDLE.sub(r"\1HASH", POD_ADDRESS.sub(r"10.240.\1.x", text))


def time_of(text: str) -> datetime:
    """A time as Kubernetes writes it."""
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)


def nodes(states: Mapping[str, Json]) -> dict[str, Json]:
    """What is seen of nodes beside the cluster: files of /etc, units, routes, rules, settings."""
    found = {}
    for name, state in states.items():
        rules = json.dumps(state["firewall"], sort_keys=True)
        found[name] = {
            "etc": {p: about for p, about in state["etc"].items() if not KEYS.search(p)},
            "units": state["units"],
            "routes": sorted(LINK.sub("LINK", r) for r in state["routes"] if not OF_PODS.search(r)),
            "sysctls": {k: v for k, v in state["sysctls"].items() if not OF_PODS.search(k)},
            "rules": sorted(set(re.findall(r"KUBE-[A-Z]+", rules))),
        }
    return found


def of_record(record: Path) -> Json:
    """What was seen before the injection of a trial."""
    snapshot = json.loads((record / "snapshots/before.json").read_text())
    before = json.loads((record / "nodes.json").read_text())["before"]
    return {"objects": objects(snapshot["objects"]), "nodes": nodes(before)}


def differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Where two of them differ, in words."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = []
        for key in sorted({*one, *other}):
            if key not in one or key not in other:
                found.append(f"{at}/{key}: only in {'the other' if key not in one else 'one'}")
            else:
                found += differences(one[key], other[key], f"{at}/{key}")
        return found
    if _texts(one) and _texts(other):
        only, added = sorted(set(one) - set(other)), sorted(set(other) - set(one))
        return [f"{at}: only in one {only}, only in the other {added}"] if only or added else []
    return [] if one == other else [f"{at}: {str(one)[:200]} / {str(other)[:200]}"]


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
