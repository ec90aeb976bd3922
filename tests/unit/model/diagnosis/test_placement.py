"""A node takes away what it carries."""

from __future__ import annotations

import json

from faultyard.model import snapshots
from faultyard.model.diagnosis.placement import Placement, placement_of
from faultyard.model.diagnosis.scope import Components, scope_of
from faultyard.model.truth import GroundTruth
from unit.model.diagnosis.examples import HOTEL
from unit.model.world import World

TRUTH = GroundTruth(component="Node//worker-1", mechanism="node_agent_down")


def test_a_component_is_whole_where_all_of_its_pods_are() -> None:
    shot = World().snapshot(1, [])
    for raw in shot["objects"]:
        if raw["kind"] == "Pod":
            name = raw["metadata"]["name"]
            spread = name.startswith("frontend") and name.endswith("1")
            raw["spec"]["nodeName"] = "worker-2" if spread else "worker-1"
    assert HOTEL.application is not None
    found = placement_of(HOTEL.application, snapshots.parse(json.dumps(shot).encode(), "injected"))
    assert found.whole == {"Node//worker-1": frozenset({"search", "rate"})}
    assert found.part == {
        place: frozenset({"frontend"}) for place in ("Node//worker-1", "Node//worker-2")
    }


def test_who_calls_what_a_node_carries_suffers_with_it() -> None:
    placement = Placement(
        {"Node//worker-1": frozenset({"mongodb-geo"})}, {"Node//worker-1": frozenset({"user"})}
    )
    scope = scope_of(TRUTH, Components(HOTEL.application, placement))
    assert scope.affected == {"mongodb-geo", "geo", "search", "frontend"}
    assert "user" in scope.tolerated
    assert "Node//worker-1" not in scope.cascades


def test_what_another_node_carries_does_not() -> None:
    placement = Placement({"Node//worker-2": frozenset({"mongodb-geo"})})
    assert scope_of(TRUTH, Components(HOTEL.application, placement)).affected == frozenset()


def test_what_runs_on_a_lost_node_beside_the_application_may_be_named_and_need_not() -> None:
    shot = World().snapshot(1, [])
    about = {"namespace": "tools", "uid": "u"}
    replicas = {"kind": "ReplicaSet", "name": "exporter-6b7f8"}
    shot["objects"] += [
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                **about,
                "name": "exporter-6b7f8",
                "ownerReferences": [{"kind": "Deployment", "name": "exporter"}],
            },
        },
        *(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**about, "name": name, "ownerReferences": [replicas]},
                "spec": {"nodeName": node},
                "status": {"phase": phase},
            }
            for name, node, phase in (
                ("exporter-6b7f8-xk2zq", "worker-1", "Running"),
                ("import-zzzzz", "worker-1", "Succeeded"),
                ("other-zzzzz", "worker-2", "Running"),
            )
        ),
    ]
    assert HOTEL.application is not None
    found = placement_of(HOTEL.application, snapshots.parse(json.dumps(shot).encode(), "injected"))
    scope = scope_of(TRUTH, Components(HOTEL.application, found))
    assert "Deployment/tools/exporter" in scope.tolerated
    assert "Deployment/tools/exporter" not in scope.affected
    assert {"Pod/tools/import-zzzzz", "Pod/tools/other-zzzzz"}.isdisjoint(scope.tolerated)
