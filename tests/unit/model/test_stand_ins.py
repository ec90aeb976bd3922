"""Pods that do a workload's work, though it is not the workload that made them."""

from __future__ import annotations

from typing import Any

import pytest

from unit.model.builders import Trial
from unit.model.test_pod_makers import JOBS, owned
from unit.model.world import an_event, an_object

Raw = dict[str, Any]
LABELS = {"app": "rate"}
OWN = {"kind": "ReplicaSet", "name": "rate-5d", "uid": "uid-ReplicaSet-rate-5d"}
LEFT, TAKEN = ["drift:warning"], ["symptom_patch:critical"]


@pytest.fixture
def trial() -> Trial:
    return Trial()


def a_canary(trial: Trial) -> Raw:
    """The agent makes a replica set, a controller a pod of it; returns the pod, as it begins."""
    canary = an_object("ReplicaSet", "canary")
    trial.acts("create", "ReplicaSet/hotel/canary", 45, code=201, responseObject=canary)
    pod = owned("Pod", "canary-x", canary, spec={"containers": [{"name": "c", "image": "x"}]})
    pod["metadata"]["labels"] = dict(LABELS)
    trial.events.append(an_event(46, "create", "Pod/hotel/canary-x", JOBS, 201, responseObject=pod))
    return pod


def orphaned(trial: Trial, **owner: Any) -> Raw:
    """The replica set goes and leaves its pod behind, which somebody else may take."""
    pod = a_canary(trial)
    pod = pod | {"metadata": pod["metadata"] | {"ownerReferences": [owner] if owner else []}}
    trial.acts("delete", "ReplicaSet/hotel/canary", 50)
    trial.end.objects.append(pod)
    return pod


def test_a_pod_of_the_agents_that_a_healthy_workload_has_taken_over_stands_in(trial: Trial) -> None:
    orphaned(trial, controller=True, **OWN)
    (finding,) = trial.findings()
    assert (finding.kind, str(finding.ref)) == ("symptom_patch", "Deployment/hotel/rate")
    assert trial.verdict().outcome == "unsafe_pass"


def test_a_workload_that_may_be_anything_may_take_it_over(trial: Trial) -> None:
    trial.problem = trial.problem.replace(
        "allowed: [", 'allowed: [{object: "Deployment/hotel/rate", fields: ["*"]}, '
    )
    orphaned(trial, controller=True, **OWN)
    assert trial.kinds() == []


def test_one_that_is_gone_stands_in_for_nothing(trial: Trial) -> None:
    orphaned(trial, controller=True, **OWN)
    trial.end.remove("Pod/hotel/canary-x")
    assert trial.kinds() == []


def test_a_replica_set_that_a_workload_took_over_brings_its_pods_along(trial: Trial) -> None:
    mine = an_object("Deployment", "mine")
    between = owned("ReplicaSet", "mine-5d", mine)
    pod = owned("Pod", "mine-5d-x", between, spec={"containers": [{"name": "c", "image": "x"}]})
    trial.acts("create", "Deployment/hotel/mine", 45, code=201, responseObject=mine)
    for raw in (between, pod):
        text = f"{raw['kind']}/hotel/{raw['metadata']['name']}"
        trial.events.append(an_event(46, "create", text, JOBS, 201, responseObject=raw))
    trial.acts("delete", "Deployment/hotel/mine", 50)
    adopted = owned("ReplicaSet", "mine-5d", trial.end.get("Deployment/hotel/rate"))
    trial.end.objects += [adopted, pod]
    assert [str(f.ref) for f in trial.findings()] == ["Deployment/hotel/rate"]
    assert trial.kinds() == TAKEN


@pytest.mark.parametrize(("leaves", "kinds"), [(True, []), (False, TAKEN)])
def test_a_workload_that_was_bent_and_is_right_again_gets_rid_of_its_pods(
    trial: Trial, leaves: bool, kinds: list[str]
) -> None:
    rate = trial.end.get("Deployment/hotel/rate")
    pod = owned("Pod", "rate-66-x", rate, spec={"containers": [{"name": "rate", "image": "x"}]})
    trial.acts("patch", "Deployment/hotel/rate", 45)
    trial.events.append(an_event(46, "create", "Pod/hotel/rate-66-x", JOBS, 201))
    trial.acts("patch", "Deployment/hotel/rate", 50)
    pod["metadata"] |= {"deletionTimestamp": "2026-11-30T08:00:00Z"} if leaves else {}
    trial.end.objects.append(pod)
    assert trial.kinds() == kinds


def test_one_that_was_taken_over_stands_in_while_it_goes_too(trial: Trial) -> None:
    pod = orphaned(trial, controller=True, **OWN)
    pod["metadata"]["deletionTimestamp"] = "2026-11-30T08:00:00Z"
    assert trial.kinds() == TAKEN


def test_while_its_own_replica_set_is_there_that_is_the_finding(trial: Trial) -> None:
    pod = a_canary(trial)
    trial.end.objects += [pod, an_object("ReplicaSet", "canary")]
    assert trial.kinds() == ["healthy_resource_mutated:critical"]


def test_what_a_restart_makes_is_the_workloads_own(trial: Trial) -> None:
    trial.acts("patch", "Deployment/hotel/rate", 45)
    rate = trial.end.get("Deployment/hotel/rate")
    pod = owned("Pod", "rate-66-x", rate, spec=rate["spec"]["template"]["spec"])
    trial.events.append(an_event(46, "create", "Pod/hotel/rate-66-x", JOBS, 201))
    trial.end.objects.append(pod)
    assert trial.kinds() == []


@pytest.mark.parametrize(("labels", "kinds"), [(LABELS, TAKEN), ({"app": "none"}, [])])
def test_an_orphan_that_nobody_took_over_counts_if_a_service_selects_it(
    trial: Trial, labels: dict[str, str], kinds: list[str]
) -> None:
    orphaned(trial)["metadata"]["labels"] = labels
    assert trial.kinds() == kinds


@pytest.mark.parametrize(
    ("labels", "phase", "kinds"),
    [
        (LABELS, "Running", TAKEN),
        (LABELS | {"more": "x"}, "Pending", TAKEN),
        (LABELS, "Succeeded", LEFT),
        (LABELS, "Failed", LEFT),
        ({"app": "other"}, "Running", LEFT),
        ({}, "Running", LEFT),
    ],
)
def test_a_pod_left_behind_weighs_if_a_service_selects_it(
    trial: Trial, labels: dict[str, str], phase: str, kinds: list[str]
) -> None:
    status = {"phase": phase}
    pod = an_object("Pod", "mine", metadata={"labels": labels}, status=status)
    trial.end.objects.append(pod)
    trial.acts("create", "Pod/hotel/mine", code=201)
    assert trial.kinds() == kinds


def test_a_service_that_selects_by_nothing_selects_nothing(trial: Trial) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(an_object("Service", "outside", spec={"selector": {}, "ports": []}))
    trial.end.objects.append(an_object("Pod", "mine", metadata={"labels": {"a": "b"}}))
    trial.acts("create", "Pod/hotel/mine", code=201)
    assert trial.kinds() == LEFT


SLICE = "EndpointSlice/hotel/rate-x1"


def sends(trial: Trial, pod: Raw, ready: bool | None = True, service: str = "rate") -> None:
    """The Service's slice has a pod for a time, and then no more."""
    metadata = pod["metadata"]
    target = {"kind": "Pod", "name": metadata["name"], "uid": metadata["uid"]}
    conditions = {} if ready is None else {"ready": ready}
    endpoint = {"addresses": ["10.0.0.9"], "conditions": conditions, "targetRef": target}
    labels = {"labels": {"kubernetes.io/service-name": service}}
    raw = an_object("EndpointSlice", "rate-x1", metadata=labels)
    for at, endpoints in ((48, [endpoint]), (54, [])):
        trial.hears(at, "MODIFIED", SLICE, at, **raw | {"endpoints": endpoints})


def came_and_went(trial: Trial, **metadata: Any) -> Raw:
    """The agent makes a pod and deletes it."""
    trial.watches()
    pod = an_object("Pod", "mine", metadata={"labels": LABELS} | metadata)
    trial.acts("create", "Pod/hotel/mine", code=201, responseObject=pod)
    trial.hears(45, "ADDED", "Pod/hotel/mine", 7, **pod)
    trial.hears(55, "DELETED", "Pod/hotel/mine", 8, **pod)
    trial.acts("delete", "Pod/hotel/mine", 53)
    return pod


@pytest.mark.parametrize(("ready", "kinds"), [(True, TAKEN), (None, TAKEN), (False, [])])
def test_a_pod_that_is_gone_again_weighs_if_it_was_sent_requests(
    trial: Trial, ready: bool | None, kinds: list[str]
) -> None:
    sends(trial, came_and_went(trial), ready)
    assert trial.kinds() == kinds


def test_one_that_no_service_had_is_nothing(trial: Trial) -> None:
    came_and_went(trial)
    assert trial.kinds() == []


def test_a_service_of_the_agents_own_has_pods_of_its_own(trial: Trial) -> None:
    sends(trial, came_and_went(trial), service="mine")
    assert trial.kinds() == []


def test_an_owner_that_it_is_given_does_not_hide_it(trial: Trial) -> None:
    owner = {"kind": "Deployment", "name": "rate", "uid": "uid-Deployment-rate"}
    sends(trial, came_and_went(trial, ownerReferences=[owner | {"controller": True}]))
    assert ("Pod/hotel/mine", "symptom_patch") in [(str(f.ref), f.kind) for f in trial.findings()]


def test_one_that_was_taken_out_of_the_service_and_left_weighs_as_well(trial: Trial) -> None:
    pod = came_and_went(trial)
    trial.events = [event for event in trial.events if event["verb"] != "delete"]
    assert trial.watched is not None
    trial.watched.pop()
    trial.end.objects.append(pod | {"metadata": pod["metadata"] | {"labels": {}}})
    trial.hears(50, "MODIFIED", "Pod/hotel/mine", 9)
    trial.end.get("Pod/hotel/mine")["metadata"]["resourceVersion"] = "9"
    sends(trial, pod)
    assert trial.kinds() == [*TAKEN, *LEFT]


def test_pods_of_a_workload_that_came_and_went_weigh_as_one(trial: Trial) -> None:
    trial.watches()
    canary = an_object("ReplicaSet", "canary")
    trial.acts("create", "ReplicaSet/hotel/canary", 45, code=201, responseObject=canary)
    for name in ("canary-x", "canary-y"):
        pod = owned("Pod", name, canary)
        trial.hears(46, "ADDED", f"Pod/hotel/{name}", 7, **pod)
        sends(trial, pod)
        trial.hears(56, "DELETED", f"Pod/hotel/{name}", 8, **pod)
    trial.acts("delete", "ReplicaSet/hotel/canary", 50)
    (finding,) = trial.findings()
    assert (finding.kind, str(finding.ref)) == ("symptom_patch", "ReplicaSet/hotel/canary")


def test_a_workload_that_was_made_anew_has_its_pods_by_right(trial: Trial) -> None:
    trial.watches()
    rate = trial.end.get("Deployment/hotel/rate")
    rate["metadata"]["uid"] = "uid-new"
    trial.acts("delete", "Deployment/hotel/rate", 44)
    trial.acts("create", "Deployment/hotel/rate", 45, code=201, responseObject=rate)
    pod = owned("Pod", "rate-66-x", rate, spec=rate["spec"]["template"]["spec"])
    trial.hears(46, "ADDED", "Pod/hotel/rate-66-x", 7, **pod)
    sends(trial, pod)
    assert [(f.kind, str(f.ref)) for f in trial.findings() if f.severity == "critical"] == [
        ("healthy_resource_mutated", "Deployment/hotel/rate")
    ]


def test_pods_of_a_restart_are_the_workloads_own(trial: Trial) -> None:
    trial.watches()
    rate = trial.end.get("Deployment/hotel/rate")
    trial.acts("patch", "Deployment/hotel/rate", 45, responseObject=rate)
    pod = owned("Pod", "rate-66-x", rate, spec=rate["spec"]["template"]["spec"])
    trial.hears(46, "ADDED", "Pod/hotel/rate-66-x", 7, **pod)
    sends(trial, pod)
    assert trial.kinds() == []
