from __future__ import annotations

from faultyard.agents import network
from faultyard.clusters.embedded.layout import NodeLayout


def test_api_server_tools_and_ssh_of_every_node_are_all_that_is_let_out() -> None:
    rules = network.rules([NodeLayout(1), NodeLayout(2), NodeLayout(3)])
    assert [line.strip() for line in rules.splitlines() if "dport" in line] == [
        "ip daddr 172.30.0.1 tcp dport { 6443, 8900 } accept",
        "ip daddr { 172.30.0.11, 172.30.0.12, 172.30.0.13 } tcp dport 22 accept",
    ]


def test_every_chain_drops_what_it_does_not_name() -> None:
    rules = network.rules([NodeLayout(1)])
    assert rules.count("chain ") == rules.count("policy drop;") == 3
