"""What is suspected of a cluster that is played, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.agents.runbook import (
    addresses,
    limits,
    nodes,
    service_ports,
    service_selectors,
    workloads,
)
from faultyard.agents.runbook.cluster import Cluster
from faultyard.agents.runbook.evidence import Evidence
from faultyard.agents.runbook.hypotheses import ENOUGH, Hypothesis, best, rank
from faultyard.agents.runbook.signals import Signals
from faultyard.agents.runbook.tools import Answer
from unit.agents.runbook import played
from unit.agents.runbook.played import Manifest, Played, nodes_answer


def without(*names: str, kind: str = "") -> list[Manifest]:
    """The shop without some of its objects."""
    return [
        each
        for each in played.shop()
        if not (each["metadata"]["name"].split("-")[0] in names and kind in {"", each["kind"]})
    ]


def cluster(manifests: list[Manifest], **more: Any) -> Cluster:
    return Cluster(Played(manifests, **{"node": nodes_answer(), **more}))


def suspected(seen: Cluster, pointed: frozenset[str] = frozenset()) -> list[Hypothesis]:
    return [
        *nodes.look(seen),
        *workloads.look(seen),
        *limits.look(seen),
        *service_selectors.look(seen),
        *service_ports.look(seen, pointed),
        *addresses.look(seen),
    ]


def mechanisms(found: list[Hypothesis]) -> list[tuple[str, str]]:
    return [(each.component, each.mechanism) for each in found]


def test_nothing_is_suspected_of_a_cluster_that_is_well() -> None:
    assert suspected(cluster(played.shop()), frozenset({"cart", "stock"})) == []


def test_dependencies_are_what_workloads_are_told() -> None:
    seen = cluster(played.shop())
    assert seen.calls["Deployment/shop/web"] == {"Deployment/shop/cart"}
    assert seen.callers(["Deployment/shop/stock"]) == [
        "Deployment/shop/cart",
        "Deployment/shop/web",
    ]


def test_dependencies_stand_in_config_maps_too() -> None:
    source: list[Any] = [{"configMapRef": {"name": "cart"}}]
    cart = played.deployment("cart", container={"envFrom": source})
    config = played.config("cart", STOCK="stock.shop.svc:8080", LEVEL="info")
    seen = cluster([*without("cart"), *cart, config, played.service("cart")])
    assert seen.calls["Deployment/shop/cart"] == {"Deployment/shop/stock"}


def test_a_further_port_that_the_pods_declare_is_innocent() -> None:
    ports = [{"name": n, "containerPort": p} for n, p in (("http", 8080), ("metrics", 9090))]
    cart = played.deployment("cart", container={"ports": ports})
    more = [{"name": n, "port": p, "targetPort": p} for n, p in (("http", 8080), ("metrics", 9090))]
    seen = cluster([*without("cart"), *cart, played.service("cart", ports=more)])
    assert suspected(seen) == []


def test_a_port_that_no_container_declares_but_that_answers_is_innocent() -> None:
    manifests = [*without("cart", kind="Service"), played.service("cart", 8080, 8089)]
    assert suspected(cluster(manifests, node=nodes_answer((8080, 8089)))) == []


def test_without_a_node_to_try_it_from_an_undeclared_port_alone_is_not_enough() -> None:
    manifests = [*without("cart", kind="Service"), played.service("cart", 8080, 8089)]
    found = list(
        service_ports.look(
            cluster(manifests, node=lambda *_: Answer("no session", failed=True)), frozenset()
        )
    )
    assert [each.score < ENOUGH for each in found] == [True]
    assert found[0].repair is None


def test_a_port_name_that_no_container_has_is_found() -> None:
    manifests = [*without("cart", kind="Service"), played.service("cart", 8080, "web")]
    (found,) = suspected(cluster(manifests))
    assert (found.observed, found.expected, found.score >= ENOUGH) == ("web", 8080, True)


def test_a_selector_that_takes_no_pod_is_told_from_its_workload() -> None:
    wrong = played.service("cart", selector={"app": "cart", "tier": "blue"})
    (found,) = suspected(cluster([*without("cart", kind="Service"), wrong]))
    assert mechanisms([found]) == [("Service/shop/cart", "service_selector_mismatch")]
    assert found.expected == {"app": "cart"}


def test_a_workload_that_is_scaled_to_nothing_though_others_need_it() -> None:
    manifests = [
        *without("stock"),
        *played.deployment("stock", replicas=0),
        played.service("stock"),
    ]
    (found,) = suspected(cluster(manifests))
    assert mechanisms([found]) == [("Deployment/shop/stock", "replica_count_wrong")]
    assert found.repair is None


def test_an_image_that_cannot_be_pulled_goes_back_to_the_earlier_one() -> None:
    waiting = {"reason": "ImagePullBackOff", "message": "not found"}
    cart = played.deployment("cart", waiting=waiting, container={"image": "registry/cart:2"})
    before = played.revision("cart", 3, {"name": "cart", "image": "registry/cart:1"})
    (found,) = suspected(cluster([*without("cart"), *cart, before, played.service("cart")]))
    assert mechanisms([found]) == [("Deployment/shop/cart", "image_unavailable")]
    assert (found.observed, found.expected) == ("registry/cart:2", "registry/cart:1")
    assert found.repair is not None


@pytest.mark.parametrize(
    ("message", "component", "setting"),
    [
        ('configmap "prices" not found', "ConfigMap/shop/prices", ""),
        ("couldn't find key RATE in ConfigMap shop/prices", "ConfigMap/shop/prices", "data.RATE"),
        ('secret "login" not found', "Secret/shop/login", ""),
    ],
)
def test_an_object_that_a_container_waits_for_is_named(
    message: str, component: str, setting: str
) -> None:
    waiting = {"reason": "CreateContainerConfigError", "message": message}
    cart = played.deployment("cart", waiting=waiting)
    (found,) = suspected(cluster([*without("cart"), *cart, played.service("cart")]))
    assert mechanisms([found]) == [(component, "referenced_object_missing")]
    assert (found.setting, found.observed) == (setting, "absent")


def test_a_container_that_is_ended_for_its_memory() -> None:
    ended = {"lastState": {"terminated": {"reason": "OOMKilled"}}}
    cart = played.deployment("cart", status=ended)
    (found,) = suspected(cluster([*without("cart"), *cart, played.service("cart")]))
    assert mechanisms([found]) == [("Deployment/shop/cart", "memory_limit_too_low")]


def test_a_pod_that_no_node_takes() -> None:
    condition = {"type": "PodScheduled", "status": "False", "message": "0/2: 2 Insufficient cpu."}
    cart = played.deployment("cart", conditions=[condition])
    (found,) = suspected(cluster([*without("cart"), *cart, played.service("cart")]))
    assert mechanisms([found]) == [("Deployment/shop/cart", "resource_request_unsatisfiable")]


def test_an_address_with_a_port_that_the_service_does_not_have() -> None:
    cart = played.deployment("cart", env={"STOCK": "stock:9999"})
    (found,) = suspected(cluster([*without("cart"), *cart, played.service("cart")]))
    assert found.mechanism == "configuration_value_wrong"
    assert found.setting == "spec.template.spec.containers[cart].env[STOCK]"
    assert (found.observed, found.expected) == ("stock:9999", "stock:8080")


def test_throttling_is_counted_on_the_nodes_where_nothing_measures_it() -> None:
    path = "/sys/fs/cgroup/cpu/kubepods/podx/id-of-cart/cpu.stat"
    counters = "nr_bursts 0 nr_periods {} nr_throttled {} throttled_time 5"
    lines = f"a {path} {counters.format(100, 10)}\nb {path} {counters.format(150, 45)}\n"
    usual = nodes_answer()

    def node(name: str, command: str) -> Answer:
        return Answer(lines) if "cpu.stat" in command else usual(name, command)

    (found,) = suspected(cluster(played.shop(), node=node))
    assert mechanisms([found]) == [("Deployment/shop/cart", "cpu_limit_too_low")]
    assert "70%" in found.evidence[0].said


def test_a_node_that_does_not_answer_is_unreachable() -> None:
    manifests = [*without("node"), played.node("node-1", ready=False), played.node("node-2")]
    usual = nodes_answer()

    def node(name: str, command: str) -> Answer:
        return Answer("no session", failed=True) if name == "node-1" else usual(name, command)

    (found,) = suspected(cluster(manifests, node=node))
    assert mechanisms([found]) == [("Node//node-1", "network_path_broken")]


def hypothesis(component: str, weight: float, *names: str) -> Hypothesis:
    return Hypothesis(component, "x", [Evidence("seen", weight)], names=frozenset(names))


def test_what_signals_point_to_goes_before_what_looks_as_odd() -> None:
    signals = Signals("")
    signals.point("b", "traces end there", 2.0)
    ranked = rank([hypothesis("a", 3, "a"), hypothesis("b", 3, "b")], signals)
    assert [each.component for each in ranked] == ["b", "a"]
    assert [each.score for each in ranked] == [5.0, 1.0]
    assert best(ranked) is ranked[0]


def test_what_signals_say_of_those_that_it_would_break_supports_it_a_little() -> None:
    signals = Signals("")
    signals.point("cart", "logs name it", 2.0)
    one = hypothesis("Node//a", 3, "a")
    one.breaks = frozenset({"Deployment/shop/cart"})
    (ranked,) = rank([one], signals)
    assert ranked.score == 4.0


def test_signals_alone_never_name_a_cause() -> None:
    signals = Signals("")
    for number in range(9):
        signals.point("a", f"alert {number}", 2.0)
    assert best(rank([hypothesis("a", 0.9, "a")], signals)) is None
