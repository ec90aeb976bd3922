"""What somebody changes on a node is seen from the host, and nothing else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.evidence import nodes
from faultyard.model import node_state
from faultyard.model.node_state import NodeState

SECONDS_PER_NODE = 1
DOING = """
sysctl -qw net.ipv4.tcp_fin_timeout=31
ip route add blackhole 10.9.0.0/16
nft add table ip extra
mount -t tmpfs tmpfs /mnt
echo "10.9.9.9 api.meridian.internal" >> /etc/hosts
systemd-run --quiet --unit=helper sleep 600
"""
UNDOING = """
systemctl stop helper.service
sysctl -qw net.ipv4.tcp_fin_timeout=60
ip route del blackhole 10.9.0.0/16
nft delete table ip extra
umount /mnt
sed -i /10.9.9.9/d /etc/hosts
"""


def take(cell: Cell) -> dict[str, NodeState]:
    raw = {"after": nodes.take(cell.nodes)}
    return node_state.parse(json.dumps(raw).encode())["after"]


@pytest.fixture
def touched(cell: Cell) -> Iterator[dict[str, NodeState]]:
    """The state before somebody changes one thing of each aspect on a node."""
    state = take(cell)
    cell.node("worker-2").run(["sh", "-ec", DOING])
    yield state
    cell.node("worker-2").run(["sh", "-ec", UNDOING])


@pytest.mark.cost(2)
def test_each_aspect_of_a_node_is_seen_and_within_a_second(
    cell: Cell, touched: dict[str, NodeState]
) -> None:
    start = time.monotonic()
    after = take(cell)
    took = time.monotonic() - start
    assert [state.errors for state in after.values()] == [(), ()]
    found = list(node_state.compare(touched, after))
    assert {change.node for change in found} == {"worker-2"}
    assert {(change.aspect, change.what) for change in found} >= {
        ("etc", "/etc/hosts"),
        ("firewall", "table ip extra"),
        ("mounts", "/mnt"),
        ("routes", "blackhole 10.9.0.0/16"),
        ("sysctls", "net/ipv4/tcp_fin_timeout"),
        ("units", "helper.service"),
    }
    (hosts,) = (change for change in found if change.what == "/etc/hosts")
    assert hosts.texts is not None
    assert "10.9.9.9" in hosts.texts[1]
    assert took < SECONDS_PER_NODE * len(after)


@pytest.mark.cost(2)
def test_a_node_whose_own_programs_lie_is_seen_all_the_same(cell: Cell) -> None:
    node = cell.node("worker-2")
    before = take(cell)
    lie = "for p in ip nft systemctl; do mount --bind /bin/true $(command -v $p); done"
    node.run(["sh", "-ec", lie])
    try:
        seen = take(cell)["worker-2"]
    finally:
        node.run(["sh", "-c", lie.replace("mount --bind /bin/true", "umount")])
    for aspect in ("units", "routes", "firewall"):
        assert seen.aspects[aspect] == before["worker-2"].aspects[aspect]
    assert {change.aspect for change in node_state.compare(before, {"worker-2": seen})} == {
        "mounts"
    }
