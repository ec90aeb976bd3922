"""What the harness tries by itself: connections of pods, logins, pods that are not made."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.checks import registry
from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.pod_networks import processes
from faultyard.model.problem import Check
from live import kube
from live.shared import Deployed

STORE, EDGE = "hotel/mongodb-geo:27017", "hotel/frontend:5000"


def tried(cell: Cell, kind: str, **parameters: Any) -> dict[tuple[str, ...], tuple[str, str]]:
    """One whole round: what was asked -> what came of it, and what was seen."""
    given = {"name": "it", "kind": kind, "mode": "hold", "with": parameters}
    plan = registry.plan(cell, Check.model_validate(given))
    assert plan is not None
    return {tuple(one.asked.values()): (one.outcome, one.detail) for one in plan.round(plan.asked)}


@pytest.mark.cost(4)
def test_a_pods_connection_meets_the_policies_and_nothing_runs_in_the_pod(
    cell: Cell, hotel: Deployed
) -> None:
    pods = kube.get(cell, "pods", "-n", "loyalty", "-l", "app.kubernetes.io/name=points")["items"]
    tops = {node.place.name: cgroups.machine_folder(node.cgroup) for node in cell.nodes}

    def running() -> set[int]:
        return {
            pid
            for pod in pods
            for pid in processes(tops[pod["spec"]["nodeName"]], pod["metadata"]["uid"])
        }

    before = running()
    found = tried(
        cell,
        "connections",
        to=STORE,
        allowed=["hotel/geo"],
        refused=["loyalty/points", "nobody/there"],
        control=EDGE,
    )
    assert before
    assert running() == before
    outcomes = {asked: outcome for asked, (outcome, _) in found.items()}
    assert outcomes == {
        ("hotel/geo", STORE): "open",
        ("loyalty/points", STORE): "closed",
        ("loyalty/points", EDGE): "open",
        ("nobody/there", STORE): "absent",
        ("nobody/there", EDGE): "absent",
    }


@pytest.mark.cost(1)
def test_a_secrets_account_is_logged_in_and_a_database_without_it_refuses(
    cell: Cell, hotel: Deployed
) -> None:
    for service, stated in (("geo", "accepted"), ("rate", "refused")):
        where = {"service": f"hotel/mongodb-{service}", "database": service}
        found = tried(cell, "credentials", secret="hotel/geo-database", **where)
        assert [outcome for outcome, _ in found.values()] == [stated, "unchanged"]


@pytest.mark.cost(1)
def test_pods_are_tried_by_their_images_and_none_is_made(cell: Cell, hotel: Deployed) -> None:
    good = "registry.meridian.internal:5000/hotel/geo:1.6.1"
    bad = {"image": "docker.io/library/busybox:1.36", "says": "is not from"}
    before = kube.get(cell, "pods", "-n", "hotel")["items"]
    found = tried(cell, "admission", namespace="hotel", admitted=good, refused=[bad])
    assert found["hotel", good][0] == "admitted"
    outcome, detail = found["hotel", bad["image"]]
    assert (outcome, bad["says"] in detail) == ("refused", True)
    after = kube.get(cell, "pods", "-n", "hotel")["items"]
    assert {p["metadata"]["name"] for p in after} == {p["metadata"]["name"] for p in before}
