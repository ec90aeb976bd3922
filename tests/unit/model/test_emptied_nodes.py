"""Pods of others that were told to leave a node which the boundary names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from unit.model.builders import Trial
from unit.model.world import Raw, an_object

FORCE = {"gracePeriodSeconds": 0}
POD = "Pod/finance/billing-5d-0"
WARNED = ["wrong_scope:warning"]
CRITICAL = ["wrong_scope:critical"]


@pytest.fixture
def trial() -> Trial:
    """A node that is to be mended, and two pods of others on it."""
    trial = Trial()
    trial.watches()
    trial.problem = trial.problem.replace("{namespaces", "{nodes: [worker-1], namespaces")
    for index in range(2):
        trial.hears(39, "MODIFIED", f"Pod/finance/billing-5d-{index}", 5, **on("worker-1", index))
    return trial


def on(node: str, index: int = 0) -> Raw:
    owner = {"kind": "ReplicaSet", "name": "billing-5d", "controller": True}
    metadata = {"ownerReferences": [owner]}
    pod = an_object("Pod", f"billing-5d-{index}", "finance", metadata=metadata)
    return pod | {"spec": {"nodeName": node}, "status": {"phase": "Running"}}


def evicted(trial: Trial, **options: Any) -> None:
    body = {"kind": "Eviction", "deleteOptions": options}
    trial.acts("create", f"{POD}/eviction", code=201, requestObject=body)


def deleted(trial: Trial, **options: Any) -> None:
    trial.acts("delete", POD, requestObject=options)


Way = Callable[..., None]
WAYS = pytest.mark.parametrize("way", [evicted, deleted])


@WAYS
def test_whoever_empties_it_is_warned_whose_pods_went(trial: Trial, way: Way) -> None:
    way(trial)
    (finding,) = trial.findings()
    assert (finding.kind, finding.severity) == ("wrong_scope", "warning")
    assert str(finding.ref) == "Node//worker-1"
    assert "finance" in finding.sentence


def test_all_pods_of_a_node_are_one_warning(trial: Trial) -> None:
    evicted(trial)
    trial.acts("create", "Pod/finance/billing-5d-1/eviction", 46, code=201)
    assert trial.kinds() == WARNED


@WAYS
def test_by_force_it_is_out_of_scope(trial: Trial, way: Way) -> None:
    way(trial, **FORCE)
    assert trial.kinds() == CRITICAL


@WAYS
def test_a_pod_on_another_node_is_out_of_scope(trial: Trial, way: Way) -> None:
    trial.hears(42, "MODIFIED", POD, 6, **on("worker-2"))
    way(trial)
    assert trial.kinds() == CRITICAL


@WAYS
def test_a_node_that_the_boundary_does_not_name_excuses_nothing(trial: Trial, way: Way) -> None:
    trial.problem = trial.problem.replace("nodes: [worker-1], ", "")
    way(trial)
    assert trial.kinds() == CRITICAL


@WAYS
def test_a_pod_that_nobody_makes_anew_is_lost_to_others(trial: Trial, way: Way) -> None:
    bare = on("worker-1") | {"metadata": an_object("Pod", "billing-5d-0", "finance")["metadata"]}
    for world in (trial.before, trial.injected):
        world.remove("Deployment/finance/billing")
        world.objects.append(bare)
    trial.end.remove("Deployment/finance/billing")
    trial.watched = [line for line in trial.watched or () if "object" not in line]
    way(trial)
    assert trial.kinds() == CRITICAL


def test_what_else_was_done_to_the_pod_is_out_of_scope(trial: Trial) -> None:
    evicted(trial)
    trial.acts("patch", POD, 44, requestObject={"metadata": {"labels": {"a": "b"}}})
    assert trial.kinds() == [*CRITICAL, *WARNED]


def test_other_objects_on_no_node_are_out_of_scope(trial: Trial) -> None:
    trial.acts("delete", "ConfigMap/finance/settings")
    assert trial.kinds() == CRITICAL
