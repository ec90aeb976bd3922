"""What the kernel lets a cell's network be: bridge, cables, forwarding, packet filter."""

from __future__ import annotations

from faultyard.clusters.embedded import layout
from faultyard.clusters.requirements.attempts import PRIVILEGED, attempt
from faultyard.clusters.requirements.requirement import Requirement

NAME = "probe"
CABLES = f"""
mkdir -p /run/netns
ip link set lo up
ip link add {layout.BRIDGE} type bridge
ip addr add {layout.GATEWAY}/24 dev {layout.BRIDGE}
ip link set {layout.BRIDGE} up
sysctl -qw net.ipv4.ip_forward=1
ip netns add {NAME}
ip link add v-{NAME} type veth peer name eth0 netns {NAME}
ip link set v-{NAME} master {layout.BRIDGE} up
ip -n {NAME} addr add {layout.SANDBOX_ADDRESS}/24 dev eth0
ip -n {NAME} link set eth0 up
ip -n {NAME} route add default via {layout.GATEWAY}
ip netns exec {NAME} sysctl -qw net.ipv4.ip_forward=1
[ -e /proc/sys/net/bridge ] || modprobe br_netfilter
ip netns exec {NAME} sysctl -qw net.bridge.bridge-nf-call-iptables=1
"""
# What kube-proxy, the network of pods and the sandbox's rules are made of.
FILTER = f"""table ip probe {{
    set local {{
        type ipv4_addr
        flags timeout
    }}
    map services {{
        type ipv4_addr . inet_proto . inet_service : verdict
        elements = {{ {layout.API_SERVICE_IP} . tcp . 443 : goto service }}
    }}
    chain service {{
        numgen random mod 2 vmap {{ 0 : goto endpoint, 1 : goto endpoint }}
    }}
    chain endpoint {{
        meta mark set mark or 0x4000
        meta l4proto tcp dnat to {layout.GATEWAY}:{layout.API_PORT}
    }}
    chain arriving {{
        type nat hook prerouting priority dstnat
        ip daddr . meta l4proto . th dport vmap @services
    }}
    chain leaving {{
        type nat hook postrouting priority srcnat
        ip saddr {layout.POD_CIDR} ip daddr != {layout.POD_CIDR} oifname != "cni0" masquerade
    }}
    chain passing {{
        type filter hook forward priority filter
        ct state invalid drop
        ct state established,related accept
        update @local {{ ip saddr timeout 10s }}
        fib daddr type local accept
        meta l4proto tcp reject with tcp reset
        reject
    }}
}}
"""


def cables() -> str:
    """A bridge, a cable to another network namespace, forwarding."""
    attempt(CABLES, f"modprobe -a bridge br_netfilter veth; else {PRIVILEGED}")
    return "bridge with packet filter, veth, network namespaces, forwarding"


def packet_filter() -> str:
    """Rules as kube-proxy, pods and the sandbox need them."""
    script = f"nft -f - <<'END'\n{FILTER}END\n"
    modules = "nf_tables nft_ct nft_nat nft_masq nft_reject_ipv4 nft_numgen nft_fib_ipv4"
    attempt(script, f"modprobe -a {modules}; else {PRIVILEGED}")
    return "nftables with address translation, connection tracking, maps, numgen, fib"


REQUIREMENTS = (
    Requirement("network", cables, ("unshare", "setpriv", "mount", "ip", "sysctl")),
    Requirement("packet filter", packet_filter, ("unshare", "setpriv", "mount", "nft")),
)
