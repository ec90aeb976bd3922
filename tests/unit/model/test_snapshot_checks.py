"""Checks over snapshots: limits of containers, nodes in service, workloads at full strength."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from faultyard.model import snapshots
from faultyard.model.observations import Observations
from faultyard.model.predicates import CheckResult, Phase, State, evaluate
from faultyard.model.problem import parse_problem
from unit.model.builders import PROBLEM
from unit.model.world import T0, Raw, World, an_object

LIMIT = "{namespace: hotel, workload: Deployment/rate, container: rate, resource: cpu, least: 100m}"


def result(
    kind: str, parameters: str, before: Raw, end: Raw, phase: Phase = Phase.FINAL
) -> CheckResult:
    lines = PROBLEM.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("checks:"))
    stop = next(i for i, line in enumerate(lines) if line.startswith("boundary:"))
    check = f"  - {{name: it, kind: {kind}, mode: at_end, with: {parameters}}}"
    text = "\n".join([*lines[: start + 1], check, *lines[stop:]])
    problem = parse_problem(text, "problem.yaml").render(1)
    shots = {
        name: snapshots.parse(_bytes(raw), name)
        for name, raw in (("before", before), ("injected", end), ("end", end))
    }
    (found,) = evaluate(problem, Observations({}, (), shots), phase)
    return found


def _bytes(raw: Raw) -> bytes:
    return json.dumps(raw).encode()


def limited(limits: Raw) -> World:
    world = World()
    world.container("rate")["resources"] = {"limits": limits}
    return world


@pytest.mark.parametrize(
    ("limits", "state"),
    [
        ({"cpu": "1"}, State.PASS),
        ({"cpu": "0.1"}, State.PASS),
        ({"memory": "64Mi"}, State.PASS),  # no limit is not too little
        ({"cpu": "99m"}, State.FAIL),
        ({"cpu": "14m", "memory": "64Mi"}, State.FAIL),
    ],
)
def test_a_limit_has_to_leave_what_is_needed(limits: Raw, state: State) -> None:
    shot = limited(limits).snapshot(1, [])
    assert result("container_limit", LIMIT, shot, shot).state is state


def test_a_pod_that_still_has_the_old_limit_fails() -> None:
    shot = limited({"cpu": "1"}).snapshot(1, [])
    pod = next(o for o in shot["objects"] if o["kind"] == "Pod" and "rate" in o["metadata"]["name"])
    pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "14m"
    found = result("container_limit", LIMIT, shot, shot)
    assert (found.state, "14m" in found.reason) == (State.FAIL, True)
    pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert result("container_limit", LIMIT, shot, shot).state is State.PASS


@pytest.mark.parametrize("text", ["Deployment/hotel/rate", "replicas"])
def test_a_workload_that_is_gone_or_runs_nothing_fails(text: str) -> None:
    world = limited({"cpu": "1"})
    if text == "replicas":
        world.get("Deployment/hotel/rate")["spec"]["replicas"] = 0
    else:
        world.remove(text)
    shot = world.snapshot(1, [])
    assert result("container_limit", LIMIT, shot, shot).state is State.FAIL


def test_what_could_not_be_listed_is_an_error() -> None:
    shot = limited({"cpu": "1"}).snapshot(1, [{"resource": "pods", "message": "time-out"}])
    assert result("container_limit", LIMIT, shot, shot).state is State.ERROR


def node_shot(ready: str = "True", age_s: float = 4, **spec: Any) -> Raw:
    world = World()
    node = world.get("Node//worker-1")
    node["spec"] = spec
    node["status"] = {"conditions": [{"type": "Ready", "status": ready}]}
    shot = world.snapshot(100, [])
    renewed = datetime.fromtimestamp(T0 + 100 - age_s, UTC).isoformat().replace("+00:00", "Z")
    lease = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "worker-1", "namespace": "kube-node-lease"},
        "spec": {"renewTime": renewed},
    }
    shot["objects"].append(lease)
    return shot


def taint(key: str, effect: str) -> list[Raw]:
    return [{"key": key, "effect": effect}]


@pytest.mark.parametrize(
    ("shot", "state"),
    [
        (node_shot(), State.PASS),
        (node_shot(taints=taint("spot", "PreferNoSchedule")), State.PASS),
        (node_shot("Unknown"), State.FAIL),
        (node_shot("False"), State.FAIL),
        (node_shot(age_s=60), State.FAIL),
        (node_shot(unschedulable=True), State.FAIL),
        (node_shot(taints=taint("node.kubernetes.io/unreachable", "NoExecute")), State.FAIL),
    ],
)
def test_a_node_in_service_reports_and_takes_pods(shot: Raw, state: State) -> None:
    assert result("node_ready", "{node: worker-1}", shot, shot).state is state


def test_a_node_that_was_deleted_fails() -> None:
    world = World()
    world.remove("Node//worker-1")
    shot = world.snapshot(1, [])
    assert result("node_ready", "{node: worker-1}", shot, shot).state is State.FAIL


def available(counts: dict[str, int], **replicas: int) -> Raw:
    world = World()
    for name in ("frontend", "search", "rate"):
        deployment = world.get(f"Deployment/hotel/{name}")
        deployment["spec"]["replicas"] = replicas.get(name, 2)
        deployment["status"] = {"availableReplicas": counts.get(name, replicas.get(name, 2))}
    return world.snapshot(1, [])


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (available({}), State.PASS),
        (available({}, search=3), State.PASS),
        (available({"search": 1}), State.FAIL),
        (available({"search": 2}, search=3), State.FAIL),
        (available({}, search=0), State.FAIL),  # nothing unready, and nothing there
    ],
)
def test_workloads_have_to_run_as_strongly_as_before(end: Raw, state: State) -> None:
    assert result("workloads_available", "{namespace: hotel}", available({}), end).state is state


def test_a_stateful_workload_counts_and_a_new_one_does_not() -> None:
    before = available({})
    shop = {"replicas": 1}
    database = an_object("Deployment", "mongodb-rate", spec=shop) | {"kind": "StatefulSet"}
    ready = {**database, "status": {"availableReplicas": 1}}
    with_it = {**before, "objects": [*before["objects"], ready]}
    lost = {**before, "objects": [*before["objects"], database]}
    parameters = "{namespace: hotel}"
    assert result("workloads_available", parameters, with_it, with_it).state is State.PASS
    assert result("workloads_available", parameters, with_it, lost).state is State.FAIL
    assert result("workloads_available", parameters, with_it, before).state is State.FAIL
    assert result("workloads_available", parameters, before, lost).state is State.PASS


def test_a_namespace_in_which_nothing_ran_is_an_error() -> None:
    shot = available({})
    assert result("workloads_available", "{namespace: empty}", shot, shot).state is State.ERROR
