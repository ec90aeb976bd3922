"""Nodes as the cluster knows them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from faultyard.clusters.embedded import membership
from faultyard.clusters.embedded.layout import NodeLayout
from unit.clusters.played_api import played

NODES: Any = [SimpleNamespace(place=NodeLayout(index)) for index in (1, 2)]


def a_node(name: str, ready: str | None) -> dict[str, Any]:
    conditions = [{"type": "MemoryPressure", "status": "True"}]
    if ready is not None:
        conditions.append({"type": "Ready", "status": ready})
    return {"metadata": {"name": name}, "status": {"conditions": conditions}}


def test_a_node_has_its_own_zone_and_pod_addresses() -> None:
    first, second = (membership._node_object(node.place) for node in NODES)
    assert first["metadata"]["name"] == "worker-1"  # type: ignore[index]
    assert first["spec"] != second["spec"]
    assert first["spec"] == {"podCIDR": "10.240.1.0/24", "podCIDRs": ["10.240.1.0/24"]}
    zones = [node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in (first, second)]
    assert len(set(zones)) == 2


@pytest.mark.parametrize(
    ("second", "missing"),
    [("True", ""), ("False", "worker-2"), ("Unknown", "worker-2"), (None, "worker-2")],
)
def test_a_node_is_ready_when_it_says_so_itself(second: str | None, missing: str) -> None:
    items = [a_node("worker-1", "True"), a_node("worker-2", second)]
    api = played(lambda _: httpx.Response(200, json={"items": items}))
    done, told = membership._ready(api, NODES)
    assert done is (None if missing else True)
    assert told == f"not Ready: {missing}"


def test_a_server_that_does_not_answer_yet_is_waited_for() -> None:
    api = played(lambda _: httpx.Response(503, text="starting"))
    done, told = membership._ready(api, NODES)
    assert done is None
    assert "503" in told
