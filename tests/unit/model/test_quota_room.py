"""A quota that leaves no room for the next pods is no repair, though all of today's run."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model.predicates import CheckResult, Phase, State
from unit.model.test_snapshot_checks import result
from unit.model.world import PORTS, Raw, World, an_object

PARAMETERS = "{namespace: hotel}"
PODS = 2 * len(PORTS)
"""Two of each service; each requests 50m, and rate's 80m."""
USED = 50 * PODS + 2 * 30


def a_world(strategy: Raw | None = None, **hard: Any) -> World:
    world = World()
    for name in PORTS:
        requests = {"cpu": "80m" if name == "rate" else "0.05", "memory": "16Mi"}
        world.container(name)["resources"] = {"requests": requests}
        spec = world.get(f"Deployment/hotel/{name}")["spec"]
        spec["strategy"] = strategy or {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    bounds = {name.replace("_", "."): value for name, value in hard.items()}
    world.objects.append(an_object("ResourceQuota", "hotel", spec={"hard": bounds}))
    return world


def judged(world: World, phase: Phase = Phase.FINAL) -> CheckResult:
    shot = world.snapshot(1, [])
    return result("quota_room", PARAMETERS, shot, shot, phase)


@pytest.mark.parametrize(
    ("hard", "state"),
    [
        ({"requests_cpu": f"{USED + 80}m"}, State.PASS),
        ({"cpu": f"{USED + 80}m"}, State.PASS),
        ({"requests_cpu": f"{USED + 79}m"}, State.FAIL),
        ({"requests_cpu": f"{USED + 50}m"}, State.FAIL),  # for all but the largest
        ({"requests_cpu": f"{USED}m"}, State.FAIL),
        ({"requests_cpu": "400m", "requests_memory": "8Gi"}, State.FAIL),
        ({"requests_memory": f"{16 * (PODS + 1)}Mi"}, State.PASS),
        ({"requests_memory": f"{16 * PODS}Mi"}, State.FAIL),
        ({"pods": str(PODS + 1)}, State.PASS),
        ({"pods": str(PODS)}, State.FAIL),
        ({"requests_storage": "0", "services": "0", "limits_cpu": "0"}, State.PASS),
        ({}, State.PASS),
    ],
)
def test_the_largest_pod_that_a_roll_out_brings_has_to_fit(hard: Raw, state: State) -> None:
    assert judged(a_world(**hard)).state is state


def test_it_says_what_is_left_and_what_is_needed() -> None:
    found = judged(a_world(requests_cpu=f"{USED + 2}m"))
    assert "requests.cpu of hotel: 0.002 left, a roll-out of rate needs 0.08 more" in found.reason
    assert found.figures["hotel: requests.cpu"]["needed"] == "0.08"


@pytest.mark.parametrize(
    ("strategy", "room"),
    [
        ({"type": "Recreate"}, 0),
        ({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}, 0),
        ({"rollingUpdate": {"maxSurge": 2}}, 160),
        ({"rollingUpdate": {"maxSurge": "25%"}}, 80),  # of two, rounded up
        ({"rollingUpdate": {"maxSurge": "100%"}}, 160),
        ({"type": "RollingUpdate"}, 80),
    ],
)
def test_as_many_as_come_before_the_first_goes(strategy: Raw, room: int) -> None:
    assert judged(a_world(strategy, requests_cpu=f"{USED + room}m")).state is State.PASS
    if room:
        assert judged(a_world(strategy, requests_cpu=f"{USED + room - 1}m")).state is State.FAIL


NONE = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
ONE = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
TWO = {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}


@pytest.mark.parametrize(
    ("right", "now", "room"),
    [
        (ONE, NONE, 80),
        (ONE, {"type": "Recreate"}, 80),
        (TWO, ONE, 160),
        (ONE, TWO, 160),
        (NONE, {"type": "Recreate"}, 0),
        (NONE, ONE, 80),
    ],
)
def test_a_strategy_that_needs_less_room_than_the_right_one_makes_none(
    right: Raw, now: Raw, room: int
) -> None:
    before = a_world(right).snapshot(1, [])
    for spare, state in ((room, State.PASS), (room - 1, State.FAIL)):
        shot = a_world(now, requests_cpu=f"{USED + spare}m").snapshot(2, [])
        assert result("quota_room", PARAMETERS, before, shot).state is state


def test_a_deployment_that_was_not_there_has_its_own_strategy_alone() -> None:
    before = a_world(ONE)
    before.remove("Deployment/hotel/rate")
    shot = a_world(NONE, requests_cpu=f"{USED + 50}m").snapshot(2, [])  # the others' one
    assert result("quota_room", PARAMETERS, before.snapshot(1, []), shot).state is State.PASS


def a_schedule(**spec: Any) -> Raw:
    container = {"name": "report", "resources": {"requests": {"cpu": "200m"}}}
    job = {"spec": {"template": {"spec": {"containers": [container]}}}}
    schedule = an_object("Job", "report", spec={"jobTemplate": job, **spec})
    return schedule | {"kind": "CronJob"}


def test_what_a_schedule_brings_has_to_fit_too_unless_it_is_suspended() -> None:
    world = a_world(requests_cpu=f"{USED + 199}m")
    world.objects.append(a_schedule())
    assert "a run of report needs 0.2 more" in judged(world).reason
    world.get("CronJob/hotel/report")["spec"]["suspend"] = True
    assert judged(world).state is State.PASS


def test_what_containers_do_not_state_they_have_by_default() -> None:
    world = a_world(requests_cpu=f"{USED + 80 + 300}m")
    world.objects.append(a_schedule())
    template = world.get("CronJob/hotel/report")["spec"]["jobTemplate"]["spec"]["template"]
    template["spec"]["containers"][0]["resources"] = {}
    assert judged(world).state is State.PASS
    limits = [{"type": "Container", "defaultRequest": {"cpu": "400m"}}]
    bounds = an_object("ResourceQuota", "defaults", spec={"limits": limits})
    world.objects.append(bounds | {"kind": "LimitRange"})
    assert judged(world).state is State.FAIL


def test_init_containers_run_before_and_sidecars_beside() -> None:
    world = a_world(requests_cpu=f"{USED + 80}m")
    world.objects.append(a_schedule())
    spec = world.get("CronJob/hotel/report")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    small, large = ({"requests": {"cpu": amount}} for amount in ("60m", "80m"))
    spec["containers"][0]["resources"] = small
    spec["initContainers"] = [{"name": "first", "resources": large}]
    assert judged(world).state is State.PASS
    spec["initContainers"][0]["restartPolicy"] = "Always"
    assert judged(world).state is State.FAIL


def test_pods_that_ended_and_quotas_of_some_pods_do_not_count() -> None:
    world = a_world(requests_cpu=f"{USED + 80}m")
    done = an_object("Pod", "done", spec={"containers": [{"resources": {"limits": {"cpu": "9"}}}]})
    world.objects.append(done | {"status": {"phase": "Succeeded"}})
    some = {"hard": {"pods": "0"}, "scopes": ["BestEffort"]}
    world.objects.append(an_object("ResourceQuota", "some", spec=some))
    assert judged(world).state is State.PASS
    world.objects[-2]["status"] = {"phase": "Running"}
    assert judged(world).state is State.FAIL


def test_before_the_turn_it_is_looked_at_as_well() -> None:
    low = a_world(requests_cpu="400m")
    assert judged(low, Phase.FAULTY).state is State.FAIL
    assert judged(a_world(requests_cpu="2"), Phase.HEALTHY).state is State.PASS


def test_a_snapshot_without_pods_is_an_error() -> None:
    shot = a_world(requests_cpu="2").snapshot(1, [])
    blind = shot | {"errors": [{"resource": "pods.", "message": "time-out"}]}
    assert result("quota_room", PARAMETERS, shot, blind).state is State.ERROR
