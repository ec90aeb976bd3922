"""What ordinary users expect of a cluster beside pods: measurements, admission, zones, room."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for
from live import kube
from live.actions import RESTS_ON

RESTRICTED = "restricted"


@pytest.mark.cost(5)
def test_the_metrics_api_tells_what_nodes_and_pods_use(cell: Cell) -> None:
    cell.wait_addons()

    def look() -> tuple[list[str] | None, str]:
        done = run([*cell.kubectl(), "top", "nodes", "--no-headers"], check=False)
        return (done.stdout.splitlines() or None), done.stderr

    rows = [row.split() for row in wait_for("nodes' figures", look, timeout_s=60, every_s=1)]
    assert [row[0] for row in rows] == ["worker-1", "worker-2"]
    assert all(int(row[3].removesuffix("Mi")) > 0 for row in rows)
    of_pods = kube.kubectl(cell, "top", "pods", "-n", "kube-system", "--no-headers")
    assert len(of_pods.splitlines()) == len(kube.get(cell, "pods", "-n", "kube-system")["items"])


@pytest.fixture
def restricted(cell: Cell) -> Iterator[str]:
    """A namespace that admits restricted pods alone."""
    kube.kubectl(cell, "create", "namespace", RESTRICTED)
    label = f"pod-security.kubernetes.io/enforce={RESTRICTED}"
    kube.kubectl(cell, "label", "namespace", RESTRICTED, label)
    yield RESTRICTED
    kube.kubectl(cell, "delete", "namespace", RESTRICTED)


@pytest.mark.cost(2)
def test_a_namespaces_pod_security_is_enforced(cell: Cell, restricted: str) -> None:
    loose = kube.toolbox_pod("loose")
    loose["metadata"]["namespace"] = restricted
    tight = json.loads(json.dumps(loose))
    tight["spec"]["securityContext"] = {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    tight["spec"]["containers"][0]["securityContext"] = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "pod/loose created" in create(cell, tight)
    assert 'violates PodSecurity "restricted:latest"' in create(cell, loose)


def create(cell: Cell, pod: dict[str, Any]) -> str:
    """What is said of a pod that is not kept."""
    argv = [*cell.kubectl(), "create", "--dry-run=server", "-f", "-"]
    done = run(argv, input_text=json.dumps(pod), check=False)
    return done.stdout + done.stderr


@pytest.mark.cost(1)
def test_nodes_are_in_zones_and_offer_the_same_whatever_the_host_has(cell: Cell) -> None:
    nodes = kube.get(cell, "nodes")["items"]
    labels = [node["metadata"]["labels"] for node in nodes]
    assert [each["topology.kubernetes.io/zone"][-1] for each in labels] == ["a", "b"]
    assert {each["topology.kubernetes.io/region"] for each in labels} == {"eu-central-1"}
    offered = [node["status"]["allocatable"] for node in nodes]
    # Two cores and this much memory are what the smallest host with room for a cell has.
    assert {(each["cpu"], each["memory"], each["pods"]) for each in offered} == {
        ("2", "4Gi", "110")
    }


@pytest.fixture
def tainted(cell: Cell) -> Iterator[str]:
    """A node that repels pods."""
    kube.kubectl(cell, "taint", "node", "worker-2", "team=data:NoSchedule")
    yield "worker-2"
    # Removed by the test, if it came to its end.
    run([*cell.kubectl(), "taint", "node", "worker-2", "team-"], check=False)


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(12)
def test_a_taint_keeps_pods_away_that_do_not_tolerate_it(cell: Cell, tainted: str) -> None:
    selector = {"kubernetes.io/hostname": tainted}
    tolerations = [{"key": "team", "value": "data", "effect": "NoSchedule"}]
    kube.apply(
        cell,
        kube.toolbox_pod("repelled", nodeSelector=selector),
        kube.toolbox_pod("tolerant", nodeSelector=selector, tolerations=tolerations),
    )
    kube.wait_pod_ready(cell, "tolerant")
    conditions = kube.get(cell, "pod", "repelled")["status"]["conditions"]
    assert "untolerated taint" in conditions[0]["message"]
    kube.kubectl(cell, "taint", "node", tainted, "team-")
    kube.wait_pod_ready(cell, "repelled")
    kube.kubectl(cell, "delete", "pod", "repelled", "tolerant", "--now")
