"""What differs on a node, and what changes there that nobody touched."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from faultyard.model import node_state
from faultyard.model.case import open_case
from faultyard.model.errors import DamagedRecord
from faultyard.model.node_state import NodeChange, NodeStateError
from unit.model.builders import Trial

Raw = dict[str, Any]
SHA = "0" * 64
WANTS = "/etc/systemd/system/multi-user.target.wants"


def a_file(content: str = "x", **parts: Any) -> Raw:
    known = {"kind": "-", "mode": "0644", "owner": "0:0", "size": len(content)}
    return known | {"sha256": content.ljust(64, "0"), "text": content} | parts


def a_node() -> Raw:
    return {
        "etc": {
            "/etc/hosts": a_file("127.0.0.1"),
            f"{WANTS}/kubelet.service": {"kind": "l", "mode": "0777", "owner": "0:0", "link": "/k"},
        },
        "units": {"kubelet.service": {"load": "loaded", "active": "active", "sub": "running"}},
        "routes": ["default via 172.30.0.1 dev eth0 "],
        "sysctls": {"net/ipv4/ip_forward": "1"},
        "firewall": {
            "tables": {"ip nat": "chain POSTROUTING {\n\tmasquerade\n}"},
            "proxy": {"ip kube-proxy": {"lines": 9, "sha256": SHA}},
            "older_tables": [],
        },
        "mounts": ["1 2 0:5 / / rw,noatime shared:1 - btrfs /dev/loop0 rw"],
        "errors": [],
    }


def changes(after: Raw, before: Raw | None = None) -> list[NodeChange]:
    raw = {"injected": {"worker-1": before or a_node()}, "after": {"worker-1": after}}
    states = node_state.parse(json.dumps(node_state.trimmed(raw)).encode())
    return list(node_state.compare(states["injected"], states["after"]))


@pytest.fixture
def node() -> Raw:
    return a_node()


def test_a_node_that_nobody_touched_has_not_changed(node: Raw) -> None:
    assert changes(node) == []


def test_a_stopped_and_disabled_service_shows_both(node: Raw) -> None:
    node["units"]["kubelet.service"] |= {"active": "inactive", "sub": "dead"}
    del node["etc"][f"{WANTS}/kubelet.service"]
    unit, link = changes(node)
    assert (unit.aspect, unit.what) == ("units", "kubelet.service")
    assert (unit.before, unit.after) == ("active (running), enabled", None)
    assert (link.aspect, link.after) == ("etc", None)


def test_a_masked_service_is_said_to_be_masked(node: Raw) -> None:
    node["etc"]["/etc/systemd/system/ssh.service"] = {"kind": "l", "link": "/dev/null"}
    assert [c.after for c in changes(node) if c.aspect == "units"] == ["inactive, masked"]


def test_a_changed_file_has_its_content_on_both_sides(node: Raw) -> None:
    node["etc"]["/etc/hosts"] = a_file("127.0.0.2")
    (change,) = changes(node)
    assert (change.what, change.texts) == ("/etc/hosts", ("127.0.0.1", "127.0.0.2"))


def test_a_new_file_is_compared_with_nothing(node: Raw) -> None:
    node["etc"]["/etc/new"] = a_file("n")
    (change,) = changes(node)
    assert (change.before, change.texts) == (None, ("", "n"))


def test_of_a_secret_only_the_digest_is_compared(node: Raw) -> None:
    before = copy.deepcopy(node)
    before["etc"]["/etc/k.key"] = a_file("a")
    node["etc"]["/etc/k.key"] = a_file("b")
    for each in (before, node):
        del each["etc"]["/etc/k.key"]["text"]
    (change,) = changes(node, before)
    assert change.texts is None


def test_a_file_whose_rights_alone_differ_is_a_change_without_texts(node: Raw) -> None:
    node["etc"]["/etc/hosts"]["mode"] = "0666"
    (change,) = changes(node)
    assert change.texts is None


def test_contents_of_files_that_are_the_same_are_not_kept(node: Raw) -> None:
    raw = {"injected": {"worker-1": node}, "after": {"worker-1": copy.deepcopy(node)}}
    assert '"text"' not in json.dumps(node_state.trimmed(raw))


def changed(part: str, **parts: Any) -> Raw:
    """A part of a node with some of it changed."""
    whole: Raw = a_node()[part]
    return whole | parts


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("routes", [*a_node()["routes"], "10.240.1.9 dev veth12ab scope host"]),
        ("routes", ["default via 172.30.0.1 dev eth0 expires 12sec"]),
        ("sysctls", changed("sysctls") | {"net/ipv4/conf/veth12ab/forwarding": "1"}),
        ("sysctls", changed("sysctls") | {"net/netfilter/nf_conntrack_count": "7"}),
        ("mounts", [*a_node()["mounts"], "9 1 0:9 / /run/netns/cni-1 rw - nsfs nsfs rw"]),
        ("mounts", ["7 2 0:5 / / rw,noatime shared:8 - btrfs /dev/loop0 rw"]),
        ("firewall", changed("firewall", proxy={"ip kube-proxy": {"lines": 12, "sha256": "1"}})),
        ("units", changed("units") | {"user@1001.service": {"load": "loaded"}}),
        ("units", changed("units") | {"no.service": {"active": "inactive"}}),
    ],
)
def test_what_comes_and_goes_by_itself_is_left_out(node: Raw, part: str, value: Any) -> None:
    node[part] = value
    assert changes(node) == []


@pytest.mark.parametrize(
    ("part", "value", "seen"),
    [
        ("routes", [*a_node()["routes"], "blackhole 10.240.2.0/24"], "blackhole 10.240.2.0/24"),
        ("sysctls", {"net/ipv4/ip_forward": "0"}, "net/ipv4/ip_forward"),
        ("mounts", [*a_node()["mounts"], "9 1 0:9 / /etc rw - tmpfs tmpfs rw"], "/etc"),
        ("mounts", ["1 2 0:5 / / ro,noatime shared:1 - btrfs /dev/loop0 rw"], "/"),
        ("firewall", changed("firewall", tables={"ip nat": "x"}), "table ip nat"),
        ("firewall", changed("firewall", proxy={}), "table ip kube-proxy"),
        ("firewall", changed("firewall", older_tables=["nat"]), "older table nat"),
    ],
)
def test_what_somebody_did_is_seen(node: Raw, part: str, value: Any, seen: str) -> None:
    node[part] = value
    assert [(change.aspect, change.what) for change in changes(node)] == [(part, seen)]


def test_what_was_not_seen_is_not_compared_and_said(node: Raw) -> None:
    down = {"etc": node["etc"], "errors": [{"part": "all but /etc", "message": "it is down"}]}
    assert changes(down) == []
    states = node_state.parse(json.dumps({"after": {"worker-1": down}}).encode())
    assert states["after"]["worker-1"].errors == ("all but /etc: it is down",)


def test_a_record_tells_what_changed_on_nodes_in_the_turn(node: Raw) -> None:
    trial = Trial()
    changed = copy.deepcopy(node)
    changed["routes"] = []
    raw = {"before": {}, "injected": {"worker-1": node}, "after": {"worker-1": changed}}
    trial.nodes = raw
    assert [change.aspect for change in open_case(trial.record()).node_changes] == ["routes"]
    assert trial.verdict().outcome == "safe_pass"  # shown, not judged
    files = trial.files(sealed=False) | {"nodes.json": b'{"after": 7}'}
    with pytest.raises(DamagedRecord, match=r"nodes\.json"):
        trial.verdict_of(files)


def test_a_file_that_is_none_is_refused() -> None:
    for content in (b"{", b"[1]", b'{"after": {"worker-1": 3}}'):
        with pytest.raises(NodeStateError):
            node_state.parse(content)


def test_what_is_no_line_of_the_kernels_is_passed_over(node: Raw) -> None:
    node["mounts"] += ["36 35 0:5 /a", "b rw - tmpfs", ""]
    assert changes(node) == []
