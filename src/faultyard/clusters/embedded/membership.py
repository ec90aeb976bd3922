"""How a node becomes one of the cluster's: its object, its kubelet, and that it is Ready."""

from __future__ import annotations

from faultyard.clusters.api import Api
from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.nodes import Node
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

READY_S = 90
ENFORCING_S = 60


def introduce(api: Api, nodes: list[Node]) -> None:
    """Make the nodes' objects, with the pod addresses of the nodes' CNI configurations.

    Args:
        api: an administrator's connection; call this inside the cell's network.
        nodes: the cell's.
    """
    for node in nodes:
        api.post("/api/v1/nodes", _node_object(node.place))


def admit(api: Api, nodes: list[Node]) -> None:
    """Bring booted nodes, whose objects are there, into the cluster.

    Args:
        api: an administrator's connection; call this inside the cell's network.
        nodes: booted ones.

    Raises:
        NotReady: one is not Ready after `READY_S` seconds.
    """
    for node in nodes:
        node.join()
    wait_for("the nodes to be Ready", lambda: _ready(api, nodes), timeout_s=READY_S)


def wait_enforcing(nodes: list[Node]) -> None:
    """Wait until network policies hold on all nodes: they do once their rules may be read.

    Raises:
        NotReady: one has no table of them after `ENFORCING_S` seconds.
    """

    def look() -> tuple[bool | None, str]:
        missing = [node.place.name for node in nodes if not node.enforces_policies()]
        return (None if missing else True), f"no rules on {', '.join(missing)}"

    wait_for("network policies to be enforced", look, timeout_s=ENFORCING_S, every_s=0.2)


def _node_object(place: layout.NodeLayout) -> dict[str, object]:
    labels = {
        "kubernetes.io/hostname": place.name,
        "node-role.kubernetes.io/worker": "",
        "topology.kubernetes.io/region": layout.REGION,
        "topology.kubernetes.io/zone": place.zone,
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": place.name, "labels": labels},
        "spec": {"podCIDR": place.pod_cidr, "podCIDRs": [place.pod_cidr]},
    }


def _ready(api: Api, nodes: list[Node]) -> tuple[bool | None, str]:
    try:
        items = list(api.list("/api/v1/nodes"))
    except ClusterError as error:
        return None, str(error)
    ready = {
        item["metadata"]["name"]
        for item in items
        for condition in item.get("status", {}).get("conditions", [])
        if condition["type"] == "Ready" and condition["status"] == "True"
    }
    missing = [node.place.name for node in nodes if node.place.name not in ready]
    return (None if missing else True), f"not Ready: {', '.join(missing)}"
