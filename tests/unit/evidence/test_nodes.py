"""What of a node is seen through the kernel, on a network namespace of the test's own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.waiting import wait_for
from faultyard.evidence import nodes

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
RULES = """
table ip nat {
  chain out {
    type nat hook postrouting priority 100
    counter masquerade
  }
}
table ip kube-proxy {
  chain services {
    counter drop
  }
}
table ip network-policies {
  chain forward {
    ct state established accept
  }
}
"""


@pytest.fixture
def pid() -> Iterator[int]:
    """A process in a network of its own."""
    process = subprocess.Popen(["unshare", "--net", "sleep", "60"])
    here, there = (Path(f"/proc/{pid}/ns/net") for pid in ("self", process.pid))
    wait_for(
        "a network namespace",
        lambda: (True if there.readlink() != here.readlink() else None, ""),
        timeout_s=10,
        every_s=0.01,
    )
    yield process.pid
    process.kill()
    process.wait()


def inside(pid: int, *argv: str, text: str = "") -> None:
    enter = ["nsenter", f"--net=/proc/{pid}/ns/net", "--", *argv]
    subprocess.run(enter, check=True, input=text, text=True)


def test_rules_are_seen_without_counters_and_those_that_follow_pods_apart(pid: int) -> None:
    inside(pid, "nft", "-f", "-", text=RULES)
    seen = nodes._firewall(pid)
    assert list(seen["tables"]) == ["ip nat"]
    assert "masquerade" in seen["tables"]["ip nat"]
    assert "packets" not in seen["tables"]["ip nat"]
    assert seen["proxy"]["ip kube-proxy"]["lines"] == 3
    assert seen["proxy"]["ip network-policies"]["lines"] == 3
    assert seen["older_tables"] == []


def test_settings_and_routes_are_those_of_the_processs_network(pid: int) -> None:
    inside(pid, "sysctl", "-qw", "net.ipv4.ip_forward=1")
    assert nodes._sysctls(pid)["net/ipv4/ip_forward"] == "1"
    inside(pid, "sysctl", "-qw", "net.ipv4.ip_forward=0")
    assert nodes._sysctls(pid)["net/ipv4/ip_forward"] == "0"
    inside(pid, "ip", "link", "set", "lo", "up")
    inside(pid, "ip", "route", "add", "blackhole", "10.9.0.0/16")
    told = nodes._in_network(pid, ["sh", "-ec", nodes.ROUTES])
    assert "blackhole 10.9.0.0/16" in told


def test_a_mount_whose_name_has_line_ends_of_other_kinds_stays_one_line() -> None:
    lines = nodes._lines(b"1 2 0:5 / /a\x0bb\xff rw - tmpfs none rw\n3 4 0:5 / / rw - btrfs x rw\n")
    assert lines == ["1 2 0:5 / /a\x0bb\\xff rw - tmpfs none rw", "3 4 0:5 / / rw - btrfs x rw"]
