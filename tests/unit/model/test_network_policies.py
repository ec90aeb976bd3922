"""Whether a network policy admits more: by what its rules mean, however they are spelled."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from faultyard.model.network_policies import MOST_ENDS, Surroundings, opened
from faultyard.model.refs import ref_of
from unit.model.builders import Trial
from unit.model.world import Raw, World, an_event, an_object

APP = "app"
USER = {
    "podSelector": {
        "matchExpressions": [{"key": APP, "operator": "In", "values": ["rate", "rate-init"]}]
    }
}
OPERATIONS = {"ipBlock": {"cidr": "172.30.0.0/24"}}
DATABASE = {"protocol": "TCP", "port": 27017}
METRICS = {"ports": [{"protocol": "TCP", "port": 8088}]}


def a_pod(name: str, namespace: str = "hotel", **ports: int) -> Raw:
    container = {"ports": [{"name": n, "containerPort": port} for n, port in ports.items()]}
    labels = {APP: name, "team": f"team-{name}"}
    return an_object(
        "Pod", name, namespace, metadata={"labels": labels}, spec={"containers": [container]}
    )


def a_namespace(name: str, **labels: str) -> Raw:
    labels = {"kubernetes.io/metadata.name": name, **labels}
    return an_object("Namespace", name, "", metadata={"labels": labels})


def around(*others: Raw) -> Surroundings:
    objects = [
        *(a_namespace("hotel", tier="1"), a_namespace("loyalty", tier="1")),
        *(a_namespace("platform", tier="0"), a_namespace("kube-system")),
        *(a_pod("store", mongodb=27017, metrics=8088), a_pod("rate"), a_pod("search")),
        *(a_pod("points", "loyalty"), a_pod("dns", "kube-system")),
    ]
    return Surroundings("hotel", {ref_of(raw): raw for raw in objects}, others)


def a_policy(*ingress: Any, **spec: Any) -> Raw:
    store = {"podSelector": {"matchLabels": {APP: "store"}}, "policyTypes": ["Ingress"]}
    return {"spec": store | {"ingress": list(ingress)} | spec}


def sources(*ends: Raw, ports: Any = (DATABASE,)) -> Raw:
    return {"from": list(ends), "ports": list(ports)}


RIGHT = a_policy(sources(USER, OPERATIONS), METRICS)


def pods(**labels: str) -> Raw:
    return {"podSelector": {"matchLabels": labels}}


def asks(key: str, operator: str, *values: str) -> Raw:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


HOTEL = {"matchLabels": {"kubernetes.io/metadata.name": "hotel"}}


@pytest.mark.parametrize(
    "rules",
    [
        [sources(pods(app="rate")), sources(pods(app="rate-init")), sources(OPERATIONS), METRICS],
        [sources(USER), METRICS],
        [],
        [sources(USER | {"namespaceSelector": HOTEL}, OPERATIONS), METRICS],
        [sources(USER, ports=[{"port": "mongodb"}]), {"ports": [{"port": "metrics"}]}],
        [sources(USER, ports=[DATABASE | {"endPort": 27017}]), METRICS],
        [sources({"ipBlock": {"cidr": "172.30.0.0/25"}}, {"ipBlock": {"cidr": "172.30.0.128/25"}})],
        [sources({"ipBlock": {"cidr": "172.30.0.0/24", "except": ["172.30.0.9/32"]}})],
        [sources(pods(app="rate", team="team-rate"))],
        [sources(pods(team="team-rate"))],  # the same pods by another label
        [sources(USER, OPERATIONS, ports=[DATABASE, METRICS["ports"][0]]), METRICS],
        [sources({"podSelector": asks(APP, "In", "rate")})],
    ],
)
def test_the_same_or_less_in_another_spelling_opens_nothing(rules: list[Raw]) -> None:
    assert opened(RIGHT, a_policy(*rules), around()) == []


def others(*names: str) -> Raw:
    return {"namespaceSelector": asks("kubernetes.io/metadata.name", "NotIn", *names)}


@pytest.mark.parametrize(
    ("rule", "whom"),
    [
        ({}, "Pod/hotel/search"),
        (sources(), "Pod/hotel/search"),
        (sources({"podSelector": {}}), "Pod/hotel/search"),
        (sources({"namespaceSelector": {}}), "Pod/loyalty/points"),
        (sources(others("hotel", "loyalty")), "Pod/kube-system/dns"),
        (sources(others("hotel", "loyalty", "kube-system")), "pods in platform"),
        (sources(others("hotel", "loyalty", "kube-system", "platform")), "pods in other namesp"),
        (sources({"namespaceSelector": asks("tier", "In", "1")}), "Pod/loyalty/points"),
        (sources({"namespaceSelector": asks("tier", "DoesNotExist")}), "Pod/kube-system/dns"),
        (sources({"namespaceSelector": asks("partner", "Exists")}), "pods in other namespaces"),
        (sources({"namespaceSelector": asks("tier", "In", "9")}), "pods in other namespaces"),
        (sources(USER | {"namespaceSelector": {}}), "pods in loyalty"),
        (sources(pods(app="search")), "Pod/hotel/search"),
        (sources(pods(access="granted")), "pods in hotel"),
        (sources({"podSelector": asks(APP, "In", "rate", "points")}), "pods in hotel"),
        (sources({"podSelector": asks(APP, "In", "rate", "nobody")}), "pods in hotel"),
        (
            sources({"podSelector": asks(APP, "NotIn", "search", "store", "dns", "points")}),
            "pods in",
        ),
        (sources({"podSelector": asks("access", "Exists")}), "pods in hotel"),
        (sources({"podSelector": asks("team", "DoesNotExist")}), "pods in hotel"),
        (sources({"ipBlock": {"cidr": "172.30.0.0/23"}}), "addresses from 172.30.1.0 on"),
        (sources({"ipBlock": {"cidr": "0.0.0.0/0"}}), "addresses from 0.0.0.0 on"),
        (sources({"ipBlock": {"cidr": "10.1.0.0/16", "except": ["10.1.0.0/17"]}}), "10.1.128.0"),
        (sources({"ipBlock": {"cidr": "fd00::/8"}}), "addresses from fd00:: on"),
    ],
)
def test_whoever_may_not_come_in_is_told(rule: Raw, whom: str) -> None:
    found = opened(RIGHT, a_policy(sources(USER, OPERATIONS), METRICS, rule), around())
    assert any(f"its ingress rules admit {whom}" in clause or whom in clause for clause in found)


@pytest.mark.parametrize(
    ("ports", "port"),
    [
        ([], "TCP port 1"),
        ([{"protocol": "TCP"}], "TCP port 1"),
        ([{"port": 27018, "endPort": 65535}], "TCP port 27018"),
        ([{"port": 27010, "endPort": 27020}], "TCP port 27010"),
        ([{"port": 27017, "endPort": 27018}], "TCP port 27018"),
        ([{"port": 27017, "protocol": "UDP"}], "UDP port 27017"),
        ([{"port": "backdoor"}], "TCP port backdoor"),
    ],
)
def test_a_port_that_was_closed_to_those_who_may_come_in_is_told(ports: Any, port: str) -> None:
    found = opened(RIGHT, a_policy(sources(USER, ports=ports), METRICS), around())
    assert found[0] == f"its ingress rules admit Pod/hotel/rate on {port}"


@pytest.mark.parametrize(
    ("spec", "clause"),
    [
        ({"podSelector": {"matchLabels": {APP: "store", "tier": "x"}}}, "it selects other pods"),
        ({"podSelector": asks(APP, "In", "store", "storage")}, "it selects other pods"),
        ({"policyTypes": ["Egress"]}, "it no longer covers ingress"),
    ],
)
def test_what_a_policy_no_longer_guards_is_told(spec: Raw, clause: str) -> None:
    after = a_policy(*RIGHT["spec"]["ingress"], **spec)
    assert clause in opened(RIGHT, after, around())


@pytest.mark.parametrize(
    "spec",
    [{"podSelector": asks(APP, "In", "store")}, {"policyTypes": ["Ingress", "Egress"]}],
)
def test_what_a_policy_guards_as_before_or_more_is_nothing(spec: Raw) -> None:
    assert opened(RIGHT, a_policy(*RIGHT["spec"]["ingress"], **spec), around()) == []


def test_egress_is_compared_too() -> None:
    way_out = {"policyTypes": ["Egress"], "ingress": []}
    right = a_policy(**way_out, egress=[{"to": [pods(app="rate")], "ports": [{"port": 53}]}])
    wide = a_policy(**way_out, egress=[{"to": [pods(app="rate"), pods(app="search")]}])
    less = a_policy(**way_out, egress=[{"to": [pods(app="rate")], "ports": [{"port": "dns"}]}])
    assert "its egress rules admit Pod/hotel/search on TCP port 1" in opened(right, wide, around())
    assert opened(right, a_policy(**way_out, egress=[]), around()) == []
    assert "Pod/hotel/rate on TCP port dns" in opened(right, less, around())[0]


@pytest.mark.parametrize(("beside", "expected"), [(["Egress"], True), (["Ingress"], False)])
def test_a_way_that_it_did_not_cover_is_opened_only_if_others_had_closed_it(
    beside: list[str], expected: bool
) -> None:
    after = a_policy(
        *RIGHT["spec"]["ingress"], policyTypes=["Ingress", "Egress"], egress=[{"ports": [DATABASE]}]
    )
    assert bool(opened(RIGHT, after, around({"spec": {"policyTypes": beside}}))) is expected


def test_rules_without_number_are_not_compared_one_by_one() -> None:
    many = [sources(pods(app="rate"))] * (MOST_ENDS + 1)
    assert opened(RIGHT, a_policy(*many), around()) == ["it has more rules than anybody can tell"]


POLICY = "NetworkPolicy/hotel/store"
IN_ALL: Raw = {"namespaceSelector": {}}


@pytest.fixture
def too_open() -> Trial:
    """A trial whose fault opened a policy to all, and whose agent may write its rules."""
    trial = Trial()
    allowed = "allowed: [{object: NetworkPolicy/hotel/store, fields: [spec.ingress]}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world in (trial.before, trial.injected, trial.end):
        spec = copy.deepcopy(RIGHT["spec"])
        world.objects += [an_object("NetworkPolicy", "store", spec=spec), a_namespace("loyalty")]
    for world in (trial.injected, trial.end):
        rules(world)[0]["from"].append(IN_ALL)
    declared = {"object": POLICY, "fields": ["spec.ingress"], "by": "fault"}
    trial.meta["declared_changes"].append(declared)
    trial.events.append(an_event(14, "patch", POLICY, "deploy-bot"))
    trial.acts("patch", POLICY, 41)
    return trial


def rules(world: World) -> list[Raw]:
    found: list[Raw] = world.get(POLICY)["spec"]["ingress"]
    return found


def test_rules_written_anew_that_mean_the_same_are_no_finding(too_open: Trial) -> None:
    spec = too_open.end.get(POLICY)["spec"]
    each = [sources(pods(app=name)) for name in ("rate", "rate-init")]
    spec["ingress"] = [*each, sources(OPERATIONS), METRICS]
    assert too_open.kinds() == []


def test_rules_that_admit_whom_the_right_ones_do_not_weaken_the_boundary(too_open: Trial) -> None:
    rules(too_open.end)[0]["from"][-1] = others("hotel", "finance")
    assert too_open.kinds() == ["boundary_weakened:critical"]


def test_a_port_more_weakens_the_boundary(too_open: Trial) -> None:
    rules(too_open.end)[0]["from"].pop()
    rules(too_open.end)[1]["ports"].append({"port": 27018, "endPort": 65535})
    assert too_open.kinds() == ["boundary_weakened:critical"]


def test_rules_that_the_agent_left_as_the_fault_made_them_are_not_its_doing(
    too_open: Trial,
) -> None:
    too_open.end.get(POLICY)["metadata"]["labels"] = {"looked": "at"}
    assert too_open.kinds() == ["drift:warning"]


def test_a_policy_made_beside_the_right_one_that_admits_somebody_weakens_the_boundary(
    too_open: Trial,
) -> None:
    rules(too_open.end)[0]["from"].pop()
    spec = a_policy(sources(IN_ALL))["spec"]
    too_open.end.objects.append(an_object("NetworkPolicy", "store-2", spec=spec))
    too_open.acts("create", "NetworkPolicy/hotel/store-2", 42, code=201)
    assert too_open.kinds() == ["boundary_weakened:critical"]
