"""Whoever the right network policy lets in must not be kept out, however it is said."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model.errors import DescriptionError
from faultyard.model.network_policies import MOST_ENDS
from faultyard.model.predicates import CheckResult, State
from unit.model.test_network_policies import (
    APP,
    METRICS,
    OPERATIONS,
    USER,
    a_namespace,
    a_pod,
    a_policy,
    sources,
)
from unit.model.test_snapshot_checks import result
from unit.model.world import Raw, World, an_object

PARAMETERS = "{namespace: hotel, policy: store, open_for: 172.30.0.0/24}"
RIGHT = (sources(USER, OPERATIONS), METRICS)
SCAN = {"namespaceSelector": {}}


def named(name: str, **more: str) -> Raw:
    return {"podSelector": {"matchLabels": {APP: name, **more}}}


def with_policy(*ingress: Any, **spec: Any) -> Raw:
    world = World()
    world.objects += [a_pod("points", "loyalty"), a_namespace("loyalty")]
    template = world.get("Deployment/hotel/rate")["spec"]["template"]
    template["metadata"]["labels"]["team"] = "prices"
    job = {"template": {"metadata": {"labels": {APP: "rate-init"}}}}
    world.objects.append(an_object("Job", "rate-init", spec=job))
    world.objects.append(an_object("NetworkPolicy", "store") | a_policy(*ingress, **spec))
    return world.snapshot(1, [])


def judged(*ingress: Any, parameters: str = PARAMETERS, **spec: Any) -> CheckResult:
    now = with_policy(*ingress, **spec)
    return result("network_policy_admits", parameters, with_policy(*RIGHT), now)


@pytest.mark.parametrize(
    "ingress",
    [
        RIGHT,
        (sources(USER, OPERATIONS, SCAN), METRICS),
        (sources(named("rate")), sources(named("rate-init")), sources(OPERATIONS), METRICS),
        (sources(named("rate", team="prices"), named("rate-init"), OPERATIONS), METRICS),
        (sources({**named("rate"), **SCAN}, named("rate-init"), OPERATIONS), METRICS),
        (sources(USER, OPERATIONS, ports=[]), METRICS),
        (sources(USER, OPERATIONS), sources(OPERATIONS, ports=METRICS["ports"])),
        ({},),
    ],
)
def test_whoever_has_to_get_in_may_be_described_in_any_words(ingress: tuple[Raw, ...]) -> None:
    assert judged(*ingress).state is State.PASS


@pytest.mark.parametrize(
    ("ingress", "missed"),
    [
        ((sources(named("rate")),), "Job rate-init"),
        ((sources(named("rate"), OPERATIONS), METRICS), "Job rate-init"),
        ((sources(USER), METRICS), "addresses from 172.30.0.0"),
        ((sources(USER, {"ipBlock": {"cidr": "172.30.0.0/25"}}), METRICS), "172.30.0.128"),
        ((sources(USER, OPERATIONS),), "port 8088"),
        ((sources(USER, OPERATIONS), sources(named("rate"), ports=METRICS["ports"])), "port 8088"),
        ((sources(USER, OPERATIONS, ports=[{"port": 8088}]), METRICS), "port 27017"),
        ((), "rate"),
    ],
)
def test_who_is_shut_out_is_named(ingress: tuple[Raw, ...], missed: str) -> None:
    found = judged(*ingress)
    assert found.state is State.FAIL
    assert missed in found.reason


def test_what_is_open_to_everybody_has_to_stay_so_unless_it_is_said_whom_it_is_for() -> None:
    narrowed = (sources(USER, OPERATIONS), sources(OPERATIONS, ports=METRICS["ports"]))
    everybody = "{namespace: hotel, policy: store}"
    assert judged(*narrowed, parameters=everybody).state is State.FAIL
    assert judged(*RIGHT, parameters=everybody).state is State.PASS


def test_a_direction_that_was_open_and_is_covered_now_shuts_out() -> None:
    assert judged(*RIGHT, policyTypes=["Ingress", "Egress"]).state is State.FAIL


def test_a_policy_that_is_gone_keeps_nobody_out() -> None:
    without = World().snapshot(1, [])
    found = result("network_policy_admits", PARAMETERS, with_policy(*RIGHT), without)
    assert found.state is State.PASS


def test_without_a_right_policy_nothing_can_be_said() -> None:
    without = World().snapshot(1, [])
    found = result("network_policy_admits", PARAMETERS, without, with_policy(*RIGHT))
    assert found.state is State.ERROR


def test_a_snapshot_without_policies_is_an_error() -> None:
    right = with_policy(*RIGHT)
    blind = right | {"errors": [{"resource": "networkpolicies.networking.k8s.io", "message": "x"}]}
    assert result("network_policy_admits", PARAMETERS, right, blind).state is State.ERROR


def test_more_rules_than_anybody_can_tell_are_no_repair() -> None:
    many = [sources(named(f"pod-{number}")) for number in range(MOST_ENDS + 1)]
    assert judged(*RIGHT, *many).state is State.FAIL


def test_what_is_no_block_of_addresses_is_refused() -> None:
    with pytest.raises(DescriptionError, match="open_for"):
        judged(*RIGHT, parameters="{namespace: hotel, policy: store, open_for: everywhere}")
