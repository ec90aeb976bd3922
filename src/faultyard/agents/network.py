"""The sandbox's network: a namespace on the cell's bridge that reaches API server, tools and SSH.

The rules lie in the namespace itself, in which the agent has no capability. Root on a node reaches
more than the agent; that is a matter of the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.layout import NodeLayout
from faultyard.clusters.embedded.namespaces import Namespaces

NAME = "bastion"
LINK = f"v-{NAME}"


def rules(nodes: Sequence[NodeLayout]) -> str:
    """The nftables rules: everything is dropped that is not named.

    What the agent sends elsewhere is answered with a rejection by its own kernel, so that a wrong
    guess costs it no time-out.
    """
    addresses = ", ".join(node.address for node in nodes)
    return f"""table inet access {{
    chain incoming {{
        type filter hook input priority filter; policy drop;
        iif lo accept
        ct state established,related accept
    }}
    chain passing {{
        type filter hook forward priority filter; policy drop;
    }}
    chain outgoing {{
        type filter hook output priority filter; policy drop;
        oif lo accept
        ct state established,related accept
        ip daddr {layout.GATEWAY} tcp dport {{ {layout.API_PORT}, {layout.TOOLS_PORT} }} accept
        ip daddr {{ {addresses} }} tcp dport 22 accept
        meta l4proto tcp reject with tcp reset
        reject
    }}
}}
"""


def create(namespaces: Namespaces, nodes: Sequence[NodeLayout]) -> None:
    """Make the namespace, its rules, and then its cable to the bridge.

    Raises:
        ClusterError: it is there already, or the kernel refused a part.
    """
    inside = f"ip netns exec {NAME}"
    lines = [
        f"ip netns add {NAME}",
        "if [ -d /proc/sys/net/ipv6 ]; then",
        f"  {inside} sysctl -qw net.ipv6.conf.all.disable_ipv6=1",
        f"  {inside} sysctl -qw net.ipv6.conf.default.disable_ipv6=1",
        "fi",
        f"{inside} nft -f -",
        f"ip link add {LINK} type veth peer name eth0 netns {NAME}",
        f"ip -n {NAME} addr add {layout.SANDBOX_ADDRESS}/24 dev eth0",
        f"ip -n {NAME} link set lo up",
        f"ip -n {NAME} link set eth0 up",
        f"ip link set {LINK} master {layout.BRIDGE} up",
    ]
    run(namespaces.inside(["sh", "-ec", "\n".join(lines)]), input_text=rules(nodes))


def remove(namespaces: Namespaces) -> None:
    """Delete cable and namespace; none is no error."""
    namespaces.run(
        [
            "sh",
            "-ec",
            f"if ip link show {LINK} >/dev/null 2>&1; then ip link del {LINK}; fi\n"
            f"if [ -e /run/netns/{NAME} ]; then ip netns del {NAME}; fi",
        ]
    )
