"""Workloads whose pods do not run: missing, waiting, or not placed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import history, limits, writes
from .cluster import SYSTEM, Cluster, containers
from .evidence import Evidence
from .hypotheses import Hypothesis
from .objects import Object, dig
from .repairs import Repair

PULL = frozenset(("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"))
MISSING = re.compile(
    r"(?P<kind>configmap|secret) \"?(?P<name>[-a-z0-9.]+)\"? not found"
    r"|couldn't find key (?P<key>\S+) in (?P<of>ConfigMap|Secret) [-a-z0-9.]+/(?P<other>\S+)",
    re.I,
)
KINDS = {"configmap": "ConfigMap", "secret": "Secret"}
UNPLACED = (
    ("resource_request_unsatisfiable", re.compile(r"Insufficient (cpu|memory)")),
    ("volume_unbindable", re.compile(r"unbound|persistentvolumeclaim|volume node affinity")),
    ("placement_unsatisfiable", re.compile(r"affinity|selector|taint|topology")),
)
"""What the scheduler says, the most telling first."""


def look(cluster: Cluster) -> Iterator[Hypothesis]:
    """A hypothesis for each way in which a workload's pods do not run."""
    for workload in cluster.workloads.values():
        if workload.namespace in SYSTEM:
            continue
        if workload.at("spec", "replicas") == 0 and _wanted(cluster, workload):
            yield _none(cluster, workload)
        for pod in cluster.pods_of(workload):
            yield from _of_pod(cluster, workload, pod)


def _wanted(cluster: Cluster, workload: Object) -> bool:
    return bool(cluster.services_of(workload) and cluster.callers([workload.ref]))


def _make(cluster: Cluster, workload: Object, **given: Any) -> Hypothesis:
    names = {workload.name, *(each.name for each in cluster.services_of(workload))}
    given.setdefault("component", workload.ref)
    return Hypothesis(breaks=frozenset({workload.ref}), names=frozenset(names), **given)


def _none(cluster: Cluster, workload: Object) -> Hypothesis:
    return _make(
        cluster,
        workload,
        mechanism="replica_count_wrong",
        evidence=[Evidence(f"{workload.ref} is scaled to 0 although others depend on it", 4.0)],
        setting="spec.replicas",
        observed=0,
        prose="Nothing of it runs, by its own setting. What the right number is, nothing says.",
    )


def _of_pod(cluster: Cluster, workload: Object, pod: Object) -> Iterator[Hypothesis]:
    for condition in pod.at("status", "conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            yield from _unplaced(cluster, workload, pod, str(condition.get("message", "")))
    statuses = [
        *(pod.at("status", "initContainerStatuses") or ()),
        *(pod.at("status", "containerStatuses") or ()),
    ]
    for status in statuses:
        waiting = dig(status, "state", "waiting") or {}
        reason, message = str(waiting.get("reason", "")), str(waiting.get("message", ""))
        said = f"{status['name']} of {pod.name} waits: {reason} {message}".strip()[:400]
        if reason in PULL:
            yield _image(cluster, workload, str(status["name"]), said, "image_unavailable")
        elif reason == "CreateContainerConfigError":
            yield from _reference(cluster, workload, said)
        elif reason == "CrashLoopBackOff" and not _for_memory(status):
            before = history.earlier(cluster, workload, str(status["name"]), "image")
            if before is not None:
                yield _image(cluster, workload, str(status["name"]), said, "release_defect")


def _for_memory(status: dict[str, Any]) -> bool:
    return bool(dig(status, "lastState", "terminated", "reason") == "OOMKilled")


def _unplaced(
    cluster: Cluster, workload: Object, pod: Object, message: str
) -> Iterator[Hypothesis]:
    for mechanism, words in UNPLACED:
        if words.search(message):
            yield _make(
                cluster,
                workload,
                mechanism=mechanism,
                evidence=[Evidence(f"{pod.name} is not placed: {message[:300]}", 3.0)],
                prose=f"The scheduler finds no node for {pod.name}: {message[:300]}",
            )
            return


def _reference(cluster: Cluster, workload: Object, said: str) -> Iterator[Hypothesis]:
    found = MISSING.search(said)
    if found is None:
        return
    kind = KINDS[(found["kind"] or found["of"]).lower()]
    name, key = found["name"] or found["other"], found["key"]
    yield _make(
        cluster,
        workload,
        component=f"{kind}/{workload.namespace}/{name}",
        mechanism="referenced_object_missing",
        evidence=[Evidence(said, 4.0)],
        setting=f"data.{key}" if key else "",
        observed="absent",
        prose=f"{workload.ref} cannot start without {kind} {name}. What was in it nothing says.",
    )


def _image(
    cluster: Cluster, workload: Object, container: str, said: str, mechanism: str
) -> Hypothesis:
    present = next((c["image"] for c in containers(workload) if c["name"] == container), "")
    before = history.earlier(cluster, workload, container, "image")
    evidence = [Evidence(said, 3.0)]
    if before:
        evidence.append(Evidence(f"an earlier revision of {workload.ref} ran {before}", 1.0))
    return _make(
        cluster,
        workload,
        mechanism=mechanism,
        evidence=evidence,
        setting=f"spec.template.spec.containers[{container}].image",
        observed=present,
        expected=before,
        prose=f"{container} of {workload.ref} does not come up with {present}.",
        repair=_repair(workload, container, present, before) if before else None,
    )


def _repair(workload: Object, container: str, present: str, before: str) -> Repair:
    return Repair(
        title=f"set the image of {container} of {workload.ref} back to {before}",
        justified="an earlier revision of the workload ran it",
        act=writes.set_in_container(workload, container, image=before),
        holds=lambda tools: limits.rolled_out(tools, workload),
        undo=writes.set_in_container(workload, container, image=present),
        timeout_s=180,
    )
