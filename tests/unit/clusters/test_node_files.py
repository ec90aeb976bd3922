"""What is written into a node's files."""

import pytest
import yaml

from faultyard.clusters.embedded import node_files
from faultyard.clusters.embedded.layout import NodeLayout

GIB = 1024 * 1024
"""In KiB."""


def offered(cores: int, memory_kib: int) -> tuple[int, int]:
    """Cores and KiB that pods may use, as the kubelet reckons them."""
    kept = node_files.reserved(cores, memory_kib)
    evicting = 1024 * node_files.EVICTION_MIB
    return cores - int(kept["cpu"]), memory_kib - int(kept["memory"].removesuffix("Ki")) - evicting


@pytest.mark.parametrize(
    ("cores", "memory_kib"), [(2, 8 * GIB), (8, 24 * GIB - 321), (96, 755 * GIB)]
)
def test_pods_may_use_the_same_on_hosts_of_every_size(cores: int, memory_kib: int) -> None:
    assert offered(cores, memory_kib) == (2, 4 * GIB)


def test_a_small_host_offers_what_it_has_but_a_little() -> None:
    little = 1024 * (node_files.LEAST_RESERVED_MIB + node_files.EVICTION_MIB)
    assert offered(1, 3 * GIB) == (1, 3 * GIB - little)


def test_a_kubelet_keeps_back_what_is_reserved() -> None:
    configuration = yaml.safe_load(node_files.kubelet(NodeLayout(1)))
    assert configuration["systemReserved"].keys() == {"cpu", "memory"}
    assert configuration["evictionHard"]["memory.available"] == "100Mi"


def test_nodes_are_in_zones_by_turns() -> None:
    zones = [NodeLayout(index).zone[-1] for index in range(1, 8)]
    assert zones == ["a", "b", "c", "a", "b", "c", "a"]
