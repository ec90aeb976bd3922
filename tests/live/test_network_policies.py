"""Network policies hold: between pods of one node and of two, by labels, namespaces and ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for
from live import kube
from live.actions import RESTS_ON

HOME, OTHER = "policies", "policies-other"
CLIENTS = {"near": (HOME, "worker-1"), "far": (HOME, "worker-2"), "foreign": (OTHER, "worker-2")}
"""Name -> namespace, node; the server is in the first namespace on worker-1."""
EVERYBODY = frozenset(CLIENTS)
NAMED = "kubernetes.io/metadata.name"


def pod(name: str, namespace: str, node: str, **container: Any) -> dict[str, Any]:
    selector = {"kubernetes.io/hostname": node}
    made = kube.toolbox_pod(name, nodeSelector=selector, container=container)
    made["metadata"] |= {"namespace": namespace, "labels": {"app": name}}
    return made


@pytest.fixture(scope="module")
def server(cell: Cell) -> Iterator[dict[str, str]]:
    """The ways to a server, by address and by Service, with three clients beside it."""
    for namespace in (HOME, OTHER):
        kube.kubectl(cell, "create", "namespace", namespace)
    ports = [{"name": "http", "containerPort": 8080}]
    pods = [pod(name, *place) for name, place in CLIENTS.items()]
    pods.append(pod("server", HOME, "worker-1", command=kube.SERVER, ports=ports))
    kube.apply(cell, *pods)
    kube.kubectl(cell, "expose", "pod", "server", "-n", HOME, "--port=80", "--target-port=8080")
    for namespace in (HOME, OTHER):
        ready = ["wait", "--for=condition=Ready", "pod", "--all", "--timeout=90s"]
        kube.kubectl(cell, *ready, "-n", namespace)
    address = kube.get(cell, "pod", "server", "-n", HOME)["status"]["podIP"]
    service = kube.get(cell, "service", "server", "-n", HOME)["spec"]["clusterIP"]
    yield {"pod": f"http://{address}:8080/", "service": f"http://{service}/"}
    kube.kubectl(cell, "delete", "namespace", HOME, OTHER)


def reaching(cell: Cell, url: str) -> frozenset[str]:
    """The clients that get an answer."""

    def reaches(name: str) -> bool:
        inside = ["exec", "-n", CLIENTS[name][0], name, "--", "curl", "-s", "-m", "1", url]
        return run([*cell.kubectl(), *inside], check=False).stdout == "hi\n"

    return frozenset(name for name in CLIENTS if reaches(name))


def wait_reaching(cell: Cell, url: str, wanted: frozenset[str]) -> None:
    def look() -> tuple[bool | None, str]:
        found = reaching(cell, url)
        return (True if found == wanted else None), f"reached by {sorted(found)}"

    wait_for(f"{url} to be reached by {sorted(wanted)} alone", look, timeout_s=60, every_s=0.1)


def policy(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": HOME},
        "spec": spec,
    }


def into_server(*rules: dict[str, Any]) -> dict[str, Any]:
    selector = {"matchLabels": {"app": "server"}}
    return policy("into", podSelector=selector, policyTypes=["Ingress"], ingress=list(rules))


def labelled(app: str) -> dict[str, Any]:
    return {"podSelector": {"matchLabels": {"app": app}}}


FOREIGN = {"namespaceSelector": {"matchLabels": {NAMED: OTHER}}}
BLOCK = {"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.240.1.0/24"]}}
INGRESS = [
    pytest.param((), frozenset(), id="deny all"),
    pytest.param(({"from": [labelled("far")]},), frozenset({"far"}), id="a label"),
    pytest.param(({"from": [FOREIGN]},), frozenset({"foreign"}), id="a namespace"),
    pytest.param(({"ports": [{"port": "http"}]},), EVERYBODY, id="a named port"),
    pytest.param(({"ports": [{"port": 9, "endPort": 99}]},), frozenset(), id="other ports"),
    pytest.param(({"from": [BLOCK]},), frozenset({"far", "foreign"}), id="a block of addresses"),
]
"""What a policy on the server lets in, and who reaches it then."""


@pytest.mark.cost(7)
@pytest.mark.parametrize(("rules", "wanted"), INGRESS[:2])
def test_a_policy_lets_in_what_it_names_and_nobody_else(
    cell: Cell, server: dict[str, str], rules: tuple[dict[str, Any], ...], wanted: frozenset[str]
) -> None:
    _try_policy(cell, server, rules, wanted)


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(10)
@pytest.mark.parametrize(("rules", "wanted"), INGRESS[2:])
def test_a_policy_lets_in_the_namespaces_ports_and_addresses_that_it_names(
    cell: Cell, server: dict[str, str], rules: tuple[dict[str, Any], ...], wanted: frozenset[str]
) -> None:
    _try_policy(cell, server, rules, wanted)


def _try_policy(
    cell: Cell, server: dict[str, str], rules: tuple[dict[str, Any], ...], wanted: frozenset[str]
) -> None:
    wait_reaching(cell, server["pod"], EVERYBODY)
    kube.apply(cell, into_server(*rules))
    for url in server.values():
        wait_reaching(cell, url, wanted)
    kube.kubectl(cell, "delete", "networkpolicy", "into", "-n", HOME)
    wait_reaching(cell, server["service"], EVERYBODY)


DNS = {
    "to": [{"namespaceSelector": {"matchLabels": {NAMED: "kube-system"}}}],
    "ports": [{"port": 53, "protocol": "UDP"}],
}


@pytest.mark.cost(8)
def test_a_policy_on_what_goes_out_can_leave_names_alone(
    cell: Cell, server: dict[str, str]
) -> None:
    wait_reaching(cell, server["pod"], EVERYBODY)
    selector = {"matchLabels": {"app": "far"}}
    kube.apply(cell, policy("out-of", podSelector=selector, policyTypes=["Egress"], egress=[DNS]))
    wait_reaching(cell, server["pod"], EVERYBODY - {"far"})
    found = ["exec", "-n", HOME, "far", "--", "dig", "+short", f"server.{HOME}.svc.cluster.local"]
    assert kube.kubectl(cell, *found).strip() in server["service"]
    over_tcp = [*cell.kubectl(), *found[:5], "dig", "+tcp", "+time=1", "+tries=1", *found[6:]]
    assert run(over_tcp, check=False).returncode != 0
    kube.kubectl(cell, "delete", "networkpolicy", "out-of", "-n", HOME)
    wait_reaching(cell, server["pod"], EVERYBODY)


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(75)
def test_rules_that_somebody_removed_on_a_node_are_back_within_a_minute(
    cell: Cell, server: dict[str, str]
) -> None:
    kube.apply(cell, into_server())
    wait_reaching(cell, server["pod"], frozenset())
    node = cell.node("worker-1")
    node.run(["nft", "delete", "table", "ip", "network-policies"])
    wait_reaching(cell, server["pod"], EVERYBODY)
    wait_for(
        "the rules to be back",
        lambda: (node.enforces_policies() or None, "no table"),
        timeout_s=90,
        every_s=1,
    )
    wait_reaching(cell, server["pod"], frozenset())
    kube.kubectl(cell, "delete", "networkpolicy", "into", "-n", HOME)


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(15)
def test_a_program_that_is_killed_leaves_its_rules_and_comes_back(
    cell: Cell, server: dict[str, str]
) -> None:
    kube.apply(cell, into_server())
    wait_reaching(cell, server["pod"], frozenset())
    node = cell.node("worker-1")
    node.run(["systemctl", "kill", "--signal=SIGKILL", "network-policies.service"])
    assert reaching(cell, server["pod"]) == frozenset()
    kube.kubectl(cell, "delete", "networkpolicy", "into", "-n", HOME)
    wait_reaching(cell, server["pod"], EVERYBODY)
