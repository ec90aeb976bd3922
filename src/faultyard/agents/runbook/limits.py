"""Containers whose limit is too low for what they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from . import history, throttling, writes
from .cluster import Cluster, containers, ready
from .evidence import Evidence
from .hypotheses import Hypothesis
from .objects import Object, dig, read
from .repairs import Repair
from .throttling import Throttled
from .tools import Tools

MUCH = 0.25
"""A container that waits in a quarter of its periods is slow for its callers."""
LITTLE = 0.10
PLURALS = {"Deployment": "deployments", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets"}


def look(cluster: Cluster) -> Iterator[Hypothesis]:
    """A hypothesis for each container that its limit slows down or kills."""
    worst: dict[tuple[str, str], Throttled] = {}
    pods = {(pod.namespace, pod.name): pod for pod in cluster.all("pods")}
    for each in throttling.shares(cluster):
        pod = pods.get((each.namespace, each.pod))
        workload = cluster.workload_of(pod) if pod else None
        if workload is None or each.share < MUCH:
            continue
        key = (workload.ref, each.container)
        if key not in worst or worst[key].share < each.share:
            worst[key] = each
    for (ref, _), each in worst.items():
        found = _throttled(cluster, cluster.workloads[ref], each)
        if found is not None:
            yield found
    for ref, container, pod in _killed(cluster):
        yield _too_small(cluster, cluster.workloads[ref], container, pod)


def _throttled(cluster: Cluster, workload: Object, seen: Throttled) -> Hypothesis | None:
    present = _limit(workload, seen.container, "cpu")
    if present is None:
        return None
    former = history.before(cluster, workload, seen.container, "resources", "limits", "cpu")
    before = dig(former, "resources", "limits", "cpu")
    said = f"{seen.container} of {seen.pod} waits for its CPU limit in {seen.share:.0%} of its "
    evidence = [Evidence(f"{said}periods ({seen.source})", 2.0 + min(seen.share, 1.0))]
    if before is not None and cpu(before) > cpu(present):
        evidence.append(Evidence(f"an earlier revision of {workload.ref} had {before}", 2.0))
    else:
        former = before = None
    return Hypothesis(
        component=workload.ref,
        mechanism="cpu_limit_too_low",
        evidence=evidence,
        setting=_setting(seen.container, "cpu"),
        observed=present,
        expected=before,
        breaks=frozenset({workload.ref}),
        prose=f"{workload.ref} may use {present} of a processor and needs more, so it answers late "
        "and whoever asks it waits.",
        repair=_repair(workload, seen.container, "cpu", former) if former else None,
        names=_names(cluster, workload),
        slows=True,
    )


def _killed(cluster: Cluster) -> Iterator[tuple[str, str, Object]]:
    """Containers that were ended for their memory: workload, container, pod."""
    for pod in cluster.all("pods"):
        workload = cluster.workload_of(pod)
        for status in pod.at("status", "containerStatuses") or ():
            for state in ("state", "lastState"):
                if workload and dig(status, state, "terminated", "reason") == "OOMKilled":
                    yield workload.ref, str(status["name"]), pod


def _too_small(cluster: Cluster, workload: Object, container: str, pod: Object) -> Hypothesis:
    present = _limit(workload, container, "memory")
    former = history.before(cluster, workload, container, "resources", "limits", "memory")
    before = dig(former, "resources", "limits", "memory")
    return Hypothesis(
        component=workload.ref,
        mechanism="memory_limit_too_low",
        evidence=[
            Evidence(f"{container} of {pod.name} was ended for its memory (OOMKilled)", 3.0),
            *([Evidence(f"an earlier revision had {before}", 2.0)] if before else []),
        ],
        setting=_setting(container, "memory"),
        observed=present,
        expected=before,
        breaks=frozenset({workload.ref}),
        prose=f"{container} of {workload.ref} needs more than {present} and is ended again and "
        "again.",
        repair=_repair(workload, container, "memory", former) if former else None,
        names=_names(cluster, workload),
    )


def cpu(value: Any) -> float:
    """A CPU quantity in cores."""
    text = str(value)
    return float(text.removesuffix("m")) / 1000 if text.endswith("m") else float(text)


def _resources(container: Any, resource: str) -> dict[str, dict[str, Any]]:
    """Limit and request of a container; None for the one that it has not."""
    return {
        part: {resource: dig(container, "resources", part, resource)}
        for part in ("limits", "requests")
    }


def _limit(workload: Object, container: str, resource: str) -> Any:
    return _resources(_container(workload, container), resource)["limits"][resource]


def _container(workload: Object, name: str) -> Any:
    return next((each for each in containers(workload) if each["name"] == name), None)


def _setting(container: str, resource: str) -> str:
    return f"spec.template.spec.containers[{container}].resources.limits.{resource}"


def _names(cluster: Cluster, workload: Object) -> frozenset[str]:
    return frozenset({workload.name, *(each.name for each in cluster.services_of(workload))})


def _repair(workload: Object, container: str, resource: str, former: Any) -> Repair:
    present = _resources(_container(workload, container), resource)
    before = _resources(former, resource)
    return Repair(
        title=f"set {resource} of {container} of {workload.ref} to {json.dumps(before)}",
        justified="an earlier revision of the workload had that",
        act=writes.set_in_container(workload, container, resources=before),
        holds=lambda tools: rolled_out(tools, workload),
        undo=writes.set_in_container(workload, container, resources=present),
        timeout_s=180,
    )


def rolled_out(tools: Tools, workload: Object) -> bool:
    """Whether a workload's present template runs in all its pods, and they are ready."""
    found = read(tools, PLURALS[workload.kind], "-n", workload.namespace)
    now = next(each for each in found if each.ref == workload.ref)
    wanted = now.at("spec", "replicas")
    status = now.at("status") or {}
    selector = now.at("spec", "selector", "matchLabels") or {}
    labels = ",".join(f"{key}={value}" for key, value in selector.items())
    pods = read(tools, "pods", "-n", workload.namespace, "-l", labels)
    same = status.get("updatedReplicas") == wanted and len(pods) == wanted
    return bool(same) and all(ready(pod) for pod in pods)
