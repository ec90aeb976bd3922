"""Who outside of the application calls its edge may be named, and need not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from faultyard.model import snapshots
from faultyard.model.diagnosis.grading import grounds_of
from faultyard.model.diagnosis.outsiders import callers_outside
from faultyard.model.diagnosis.questions import Grounds
from faultyard.model.diagnosis.scope import Components
from faultyard.model.snapshots import Snapshot
from unit.model.builders import Trial
from unit.model.diagnosis.examples import HOTEL, Raw, noes, of, right
from unit.model.diagnosis.test_records import with_file
from unit.model.world import World, a_deployment, a_service, an_object

BONUS = "Deployment/loyalty/bonus"
ADDRESS = {"name": "SHOP", "value": "http://frontend.hotel:5000"}


def a_world(namespace: str = "loyalty", name: str = "bonus", **container: Any) -> World:
    world = World()
    deployment = a_deployment(name, namespace)
    deployment["spec"]["template"]["spec"]["containers"][0] |= {"envFrom": []} | container
    world.objects += [deployment, a_service(name, namespace)]
    return world


def shot_of(world: World) -> Snapshot:
    return snapshots.parse(json.dumps(world.snapshot(1, [])).encode(), "injected")


def found(world: World) -> frozenset[str]:
    assert HOTEL.application is not None
    return callers_outside(HOTEL.application, shot_of(world))


def against(outside: frozenset[str], component: str = "Service/hotel/profile") -> Grounds:
    grounds = of(component=component, mechanism="service_port_mismatch")
    return replace(grounds, components=Components(HOTEL.application, outside=outside))


def naming(grounds: Grounds, *texts: str) -> Raw:
    answer = right(grounds)
    answer["affected"] += texts
    return answer


@pytest.mark.parametrize(
    "container",
    [
        {"env": [ADDRESS]},
        {"args": ["--shop=frontend.hotel.svc.cluster.local:5000"]},
        {"command": ["/bin/sh", "-c", "curl http://frontend.hotel/"]},
        {"env": [{"name": "SHOP", "value": "frontend.hotel."}]},
    ],
)
def test_whoever_is_told_the_name_of_the_edge_calls_it(container: Raw) -> None:
    names = found(a_world(**container))
    assert {BONUS, "Service/loyalty/bonus", "Pod/loyalty/bonus-5d-0", "bonus"} <= names


@pytest.mark.parametrize("way", ["envFrom", "env", "volume", "projected"])
def test_it_may_be_told_by_a_config_map(way: str) -> None:
    world = a_world()
    world.objects.append(an_object("ConfigMap", "c", "loyalty", data={"a": ADDRESS["value"]}))
    spec = world.get(BONUS)["spec"]["template"]["spec"]
    container = spec["containers"][0]
    reference = {"configMap": {"name": "c"}}
    if way == "envFrom":
        container["envFrom"] = [{"configMapRef": {"name": "c"}}]
    elif way == "env":
        source = {"configMapKeyRef": {"name": "c", "key": "a"}}
        container["env"] = [{"name": "SHOP", "valueFrom": source}]
    elif way == "volume":
        spec["volumes"] = [reference]
    else:
        spec["volumes"] = [{"projected": {"sources": [reference]}}]
    assert BONUS in found(world)
    world.objects[-1]["data"] = {"a": "http://elsewhere"}
    assert found(world) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "frontend",
        "http://frontend.loyalty:5000",
        "http://frontend.hotel.example.com",
        "http://my-frontend.hotel:5000",
        "http://www.frontend.hotel:5000",
        "http://frontend.hotel-staging:5000",
        "http://profile.hotel:8081",
        "frontendXhotel",
    ],
)
def test_other_names_are_not_that_of_the_edge(text: str) -> None:
    assert found(a_world(env=[{"name": "SHOP", "value": text}])) == frozenset()


def test_the_applications_own_parts_are_not_outside() -> None:
    assert found(a_world("hotel", env=[ADDRESS])) == frozenset()


def test_the_bare_name_of_a_part_of_the_application_stays_that_parts() -> None:
    names = found(a_world(name="geo", env=[ADDRESS]))
    assert "Deployment/loyalty/geo" in names
    assert "geo" not in names


@pytest.mark.parametrize(
    "text", [BONUS, "deploy/loyalty/bonus", "svc/loyalty/bonus", "Pod/loyalty/bonus-5d-1", "bonus"]
)
def test_a_caller_of_an_edge_that_suffers_may_be_named_and_need_not(text: str) -> None:
    grounds = against(found(a_world(env=[ADDRESS])))
    assert noes(naming(grounds, text), grounds) == set()
    assert noes(right(grounds), grounds) == set()
    without = against(frozenset())
    assert noes(naming(without, text), without) == {"nothing_over_attributed"}


@pytest.mark.parametrize("text", ["Deployment/finance/billing", "Deployment/loyalty/other", "geo"])
def test_others_outside_are_over_attribution_as_before(text: str) -> None:
    grounds = against(found(a_world(env=[ADDRESS])))
    assert noes(naming(grounds, text), grounds) == {"nothing_over_attributed"}


def test_the_edge_itself_may_be_the_cause() -> None:
    grounds = against(found(a_world(env=[ADDRESS])), "Service/hotel/frontend")
    assert noes(naming(grounds, BONUS), grounds) == set()


def test_where_the_edge_does_not_suffer_its_callers_do_not() -> None:
    grounds = against(found(a_world(env=[ADDRESS])), "Deployment/hotel/memcached-rate")
    assert noes(naming(grounds, BONUS), grounds) == {"nothing_over_attributed"}


def test_it_is_neither_the_cause_nor_what_a_repair_may_be_done_to() -> None:
    grounds = against(found(a_world(env=[ADDRESS])))
    scope = grounds.scope
    assert BONUS in scope.outside
    assert BONUS not in scope.affected | scope.tolerated | scope.cascades
    answer = right(grounds)
    answer["causes"].append(answer["causes"][0] | {"component": BONUS})
    assert "no_healthy_one_blamed" in noes(answer, grounds)


def test_a_record_tells_them_by_what_was_there_when_the_turn_began() -> None:
    trial = Trial()
    trial.injected.objects += a_world(env=[ADDRESS]).objects[-2:]
    trial.problem = trial.problem.replace(", affected: [search, frontend]", "")
    assert HOTEL.application is not None
    described = HOTEL.application.model_dump(mode="json", by_alias=True)
    record = with_file(trial, "application.json", {"schema": 1, "application": described})
    assert BONUS in grounds_of(record).scope.outside
