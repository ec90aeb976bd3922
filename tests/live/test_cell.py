"""A bare cell: what Kubernetes promises holds in it, and the command line reaches it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.evidence.auditlog import AuditLog
from live import kube, shared
from live.cli import faultyard

CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "ledger", "namespace": "default"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Mi"}}},
}
VOLUME = [{"name": "data", "persistentVolumeClaim": {"claimName": "ledger"}}]
MOUNTED = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}


@pytest.mark.cost(1)
def test_both_nodes_are_ready_with_kubernetes_1_37(cell: Cell) -> None:
    nodes = kube.get(cell, "nodes")["items"]
    ready = {
        node["metadata"]["name"]: condition["status"]
        for node in nodes
        for condition in node["status"]["conditions"]
        if condition["type"] == "Ready"
    }
    versions = {node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes}
    assert ready == {"worker-1": "True", "worker-2": "True"}
    assert all(version.startswith("v1.37.") for version in versions)


@pytest.mark.cost(1)
def test_no_unit_of_a_node_has_failed(cell: Cell) -> None:
    for node in cell.nodes:
        assert node.run(["systemctl", "--failed", "--no-legend", "--plain"]) == ""
        assert node.run(["systemctl", "is-system-running"]).strip() == "running"


@pytest.fixture(scope="module")
def toolbox(cell: Cell) -> Iterator[str]:
    """A pod to try things in."""
    kube.apply(cell, kube.toolbox_pod("toolbox"))
    kube.wait_pod_ready(cell, "toolbox")
    yield "toolbox"
    kube.kubectl(cell, "delete", "pod", "toolbox", "--wait=false")


@pytest.mark.cost(8)
def test_a_pod_finds_services_by_name(cell: Cell, toolbox: str) -> None:
    names = ["kubernetes", "kubernetes.default.svc.cluster.local", "kube-dns.kube-system"]
    found = kube.kubectl(cell, "exec", toolbox, "--", "getent", "ahostsv4", *names)
    services = [
        kube.get(cell, "service", "kubernetes")["spec"]["clusterIP"],
        kube.get(cell, "service", "kube-dns", "-n", "kube-system")["spec"]["clusterIP"],
    ]
    addresses = list(dict.fromkeys(line.split()[0] for line in found.splitlines()))
    assert addresses == services


@pytest.mark.cost(3)
def test_a_pod_does_not_find_the_internet(cell: Cell, toolbox: str) -> None:
    script = "getent hosts example.com; echo $?; timeout 2 bash -c '</dev/tcp/1.1.1.1/53'; echo $?"
    said = kube.kubectl(cell, "exec", toolbox, "--", "bash", "-c", f"({script}) 2>/dev/null")
    assert said.split()[0] == "2"
    assert said.split()[1] != "0"


@pytest.fixture
def claim(cell: Cell) -> Iterator[str]:
    """A claim on the default storage class, with what lies in it."""
    kube.apply(cell, CLAIM)
    yield CLAIM["metadata"]["name"]
    kube.kubectl(cell, "delete", "pods", "writer", "reader", "--ignore-not-found", "--now")
    kube.kubectl(cell, "delete", "pvc", "ledger")


@pytest.mark.cost(25)
def test_a_pod_reads_what_one_before_it_wrote_to_its_volume_on_the_nodes_own_disk(
    cell: Cell, claim: str
) -> None:
    for name, script in (("writer", "echo booked > /data/note"), ("reader", "cat /data/note")):
        kube.apply(cell, kube.toolbox_pod(name, volumes=VOLUME, container=MOUNTED))
        kube.wait_pod_ready(cell, name)
        said = kube.kubectl(cell, "exec", name, "--", "sh", "-c", script)
        where = kube.get(cell, "pod", name)["spec"]["nodeName"]
        kube.kubectl(cell, "delete", "pod", name, "--now")
    assert said == "booked\n"
    volume = kube.get(cell, "pv", kube.get(cell, "pvc", claim)["spec"]["volumeName"])
    source = volume["spec"].get("local") or volume["spec"]["hostPath"]
    assert cell.node(where).run(["cat", f"{source['path']}/note"]) == "booked\n"
    on_host = cell.paths.roots / where / source["path"].lstrip("/") / "note"
    assert on_host.read_text() == "booked\n"


@pytest.mark.cost(3)
def test_the_audit_log_has_markers_and_the_bodies_of_writes(cell: Cell) -> None:
    log = AuditLog(cell.paths.audit)
    log.begin()
    path = "/api/v1/namespaces/default/configmaps"
    with cell.entered(), cell.api() as api:
        start = log.mark(api)
        api.post(path, {"metadata": {"name": "opening-hours"}, "data": {"desk": "7 to 23"}})
        api.delete(f"{path}/opening-hours")
        end = log.mark(api)
    events = [json.loads(line) for line in log.read().splitlines()]
    ours = [e for e in events if e["user"]["username"] == "kubernetes-admin"]
    named = [(event["verb"], event["objectRef"].get("name")) for event in ours]
    assert named[0] == ("get", start)
    assert named[-1] == ("get", end)
    created = next(event for event in ours if event["verb"] == "create")
    assert created["requestObject"]["data"] == {"desk": "7 to 23"}
    deleted = next(event for event in ours if event["verb"] == "delete")
    assert deleted["responseObject"]["details"]["name"] == "opening-hours"


@pytest.mark.cost(3)
def test_status_tells_that_everything_runs(cell: Cell) -> None:
    statuses = json.loads(faultyard("status", "--json").stdout)
    assert [status["name"] for status in statuses] == [shared.CELL]
    assert statuses[0]["state"] == "running"
    assert statuses[0]["nodes"] == ["worker-1", "worker-2"]
    assert all(statuses[0]["processes"].values())
    assert 100 < statuses[0]["memory_mib"] < 8192


@pytest.mark.cost(3)
def test_kubectl_of_the_command_line_is_the_administrators(cell: Cell) -> None:
    said = faultyard("kubectl", "-c", cell.name, "--", "auth", "can-i", "*", "*", "-A")
    assert (said.returncode, said.stdout) == (0, "yes\n")
    wrong = faultyard("kubectl", "-c", cell.name, "--", "get", "pod", "nobody")
    assert wrong.returncode == 1
    assert "NotFound" in wrong.stderr


@pytest.mark.cost(4)
def test_ssh_of_the_command_line_is_the_on_call_users(cell: Cell) -> None:
    said = faultyard("ssh", "-c", cell.name, "worker-2", "hostname; id -un; sudo id -un")
    assert said.stdout.split() == ["worker-2", "oncall", "root"]
    assert faultyard("ssh", "-c", cell.name, "worker-2", "exit 7").returncode == 7


@pytest.mark.cost(1)
def test_a_wrong_name_is_told_with_the_right_ones(cell: Cell) -> None:
    said = faultyard("ssh", "-c", cell.name, "worker-9")
    assert said.returncode == 2
    assert said.stderr == "error: the cell has no node worker-9; it has worker-1, worker-2\n"
