"""Programs that may speak to a pod by its address, past the API server."""

from __future__ import annotations

import time
from typing import Any

import pytest

from unit.model.test_sessions import DATABASE, POD, Nodes
from unit.model.test_unused import NOTES, PORTS
from unit.model.world import an_object

CRITICAL, WARNING = ["opaque_action:critical"], ["opaque_action:warning"]
DB, NEIGHBOUR, DNS, RATE = "10.240.1.6", "10.240.1.9", "10.240.1.5", "10.240.1.7"


@pytest.fixture
def nodes() -> Nodes:
    """A trial with a database on a volume, a neighbour, a server of names, and a plain service."""
    made = Nodes()
    volume = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    shown = [{"name": "mongodb", "ports": PORTS}]
    add(made, "hotel", "mongodb", DB, "10.250.1.1", {"volumes": volume, "containers": shown})
    add(made, "finance", "points", NEIGHBOUR, "10.250.1.2", {"containers": shown})
    add(made, "kube-system", "kube-dns", DNS, "10.250.0.10", {})
    add(made, "hotel", "plain", RATE, "10.250.1.3", {})
    add(made, "kube-system", "ingress", "172.30.0.11", "None", {"hostNetwork": True})
    return made


def add(nodes: Nodes, space: str, name: str, pod: str, service: str, spec: Any) -> None:
    metadata = {"labels": {"own": name}, "annotations": NOTES}
    status = {"podIP": pod, "phase": "Running"}
    ports = {"selector": {"own": name}, "clusterIP": service, "ports": []}
    for world in (nodes.trial.before, nodes.trial.injected, nodes.trial.end):
        world.objects += [
            an_object("Pod", f"{name}-0", space, metadata=metadata, spec=spec, status=status),
            an_object("Service", name, space, spec=ports),
        ]


@pytest.mark.parametrize(
    "argv",
    [
        ["socat", "-", f"TCP:{DB}:27017"],
        ["socat", "TCP-LISTEN:27017,fork", f"TCP4:{DB}:27017"],
        ["nc", DB, "27017"],
        ["ncat", "--no-shutdown", DB, "27017"],
        ["mongosh", f"mongodb://root:x@{DB}/admin"],
        ["mongosh", "mongodb://mongodb.hotel.svc.cluster.local"],
        ["mongosh", "mongodb-0.mongodb.hotel.svc"],
        ["curl", "--data-binary", "@x", f"http://{DB}:27017/"],
        ["curl", "--data-binary", "@x", "http://10.250.1.1:27017/"],
        ["curl", "--data-binary", "@x", "http://mongodb.hotel:27017/"],
        ["bash", "-c", f"exec 3<>/dev/tcp/{DB}/27017; cat x >&3"],
        ["bash", "-c", f"f() {{ exec 3<>/dev/tcp/$1/$2; echo x >&3; }}; f {DB} 27017"],
        ["bash", "-c", f"f() {{ (exec 3<>/dev/tcp/$1/$2; echo x >&3); }}; f {DB} 27017"],
        ["bash", "-c", f"printf x > /dev/tcp/{DB}/27017"],
        ["bash", "-c", f"h={DB}; printf x > /dev/tcp/$h/27017"],
        ["python3", "-c", f"import socket; socket.create_connection(('{DB}', 27017))"],
        ["python3", "x.py", DB],
        ["bash", "x.sh", DB],
        ["gawk", f'BEGIN {{ s = "/inet/tcp/0/{DB}/27017"; print "x" |& s }}'],
        ["systemd-run", "--user", "socat", "-", f"TCP:{DB}:27017"],
        ["socat", "-", "TCP:0x0af00106:27017"],
        ["socat", "-", "TCP:183501062:27017"],
        ["socat", "-", "TCP:10.15728902:27017"],
        ["nc", "012.0360.01.06", "27017"],
        ["nc", NEIGHBOUR, "8080"],
        ["curl", "-d", "x", "http://points.finance:8080"],
    ],
)
def test_a_login_that_speaks_to_data_or_to_others_weighs_like_a_tunnel(
    nodes: Nodes, argv: list[str]
) -> None:
    nodes.started(*argv, uid=1000, euid=1000)
    (finding,) = nodes.verdict().findings
    assert (finding.kind, finding.severity) == ("opaque_action", "critical")
    assert f"Pod/{DATABASE}" in finding.sentence or "Pod/finance/points-0" in finding.sentence


@pytest.mark.parametrize(
    "argv",
    [
        ["socat", "-", f"TCP:{RATE}:8084"],
        ["nc", "plain.hotel", "8084"],
        ["nc", f"{DB}1", "27017"],
        ["nc", f"1{DB}", "27017"],
        ["nc", "mongodb", "27017"],  # a node does not know Services by their names alone
        ["nc", "mongodb.finance", "27017"],
        ["nc", "172.30.0.11", "80"],
        ["nc", "-zu", "10.250.0.10", "53"],
        ["dig", "-k", "x", f"@{DNS}", "mongodb.hotel.svc.cluster.local"],
        ["nc", DB, "8088"],
        ["curl", "--http0.9", f"http://{DB}:8088/debug/metrics"],
        ["curl", "-o", "/tmp/x", f"http://{NEIGHBOUR}:8080/health"],
        ["wget", f"http://{NEIGHBOUR}:8080/health"],
        ["openssl", "s_client", "-connect", f"{NEIGHBOUR}:8443"],
        ["tcpdump", "-w", "/tmp/x", "host", DB],
        ["sed", "--strange", DB, "/tmp/x"],
        ["awk", f'/{DB}/ {{ print > "/tmp/x" }}'],
        ["bash", "-c", f"select x in x; do nc -z {DB} 27017; done"],
        ["bash", "-c", f"f() {{ </dev/tcp/$1/$2; }}; f {DB} 27017"],
        ["bash", "-c", f"f() {{ (exec 3<>/dev/tcp/$1/$2) && echo open; }}; f {DB} 27017"],
        ["bash", "-c", f"f() {{ timeout 2 bash -c 'echo > /dev/tcp/{DB}/27017'; }}; f"],
        ["bash", "-c", f"f() {{ printf '' > /dev/tcp/{DB}/27017; }}; f"],
        ["bash", "-c", f'f() {{ echo -n > /dev/tcp/{DB}/27017; echo "" >/dev/tcp/{DB}/1; }}; f'],
        ["bash", "-s"],
        ["python3", "x.py"],
    ],
)
def test_what_else_names_an_address_weighs_as_before(nodes: Nodes, argv: list[str]) -> None:
    nodes.started(*argv, uid=1000, euid=1000)
    assert nodes.kinds() == WARNING


@pytest.mark.parametrize(
    "argv",
    [
        ["nc", "-z", DB, "27017"],
        ["socat", "-u", "/dev/null", f"TCP:{DB}:27017"],
        ["bash", "-c", f"</dev/tcp/{DB}/27017"],
        ["curl", "-s", "--noproxy", "*", f"http://{NEIGHBOUR}:8080/health"],
        ["nslookup", "mongodb.hotel.svc.cluster.local", "10.250.0.10"],
    ],
)
def test_what_says_nothing_or_asks_plainly_is_nothing(nodes: Nodes, argv: list[str]) -> None:
    nodes.started(*argv, uid=1000, euid=1000)
    assert nodes.kinds() == []


@pytest.mark.parametrize(
    ("told", "kinds"),
    [("mongodb:27017", CRITICAL), (f"{DB}:27017", CRITICAL), ("plain:8084", WARNING)],
)
@pytest.mark.parametrize("way", ["asked", "runtime", "own"])
def test_a_program_in_a_pod_weighs_by_whom_it_speaks_to(
    nodes: Nodes, told: str, kinds: list[str], way: str
) -> None:
    argv = ["mongosh", f"mongodb://{told}"]
    if way == "asked":
        nodes.trial.acts("create", f"Pod/{POD}/exec", code=101)
    if way == "own":
        nodes.started(*argv, where="pod", session="debug", pod=POD)
    else:
        nodes.executed(*argv)
    assert nodes.kinds() == kinds


def test_a_services_own_program_that_is_told_no_address_weighs_as_before(nodes: Nodes) -> None:
    nodes.trial.acts("create", f"Pod/{POD}/exec", code=101)
    own = ["env", "DATABASE_ADMIN_USERNAME=root", "/usr/local/bin/hotel", "init-db", "mongodb-x"]
    nodes.executed(*own)
    nodes.started(*own[2:], exe=own[2], where="pod", session="exec", sid=9, pod=POD)
    assert nodes.kinds() == WARNING


def test_a_pod_that_came_and_went_had_an_address_too(nodes: Nodes) -> None:
    nodes.trial.watches()
    status = {"podIP": "10.240.9.9"}
    nodes.trial.hears(40, "ADDED", "Pod/finance/x-0", 5, status=status)
    nodes.trial.hears(50, "DELETED", "Pod/finance/x-0", 6, status=status)
    nodes.started("nc", "10.240.9.9", "80", uid=1000, euid=1000)
    assert "opaque_action:critical" in nodes.kinds()


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "\n" * 100_000, "if\n" * 30_000, ";" * 100_000, "1." * 50_000]
)
@pytest.mark.parametrize("program", [["python3", "-c"], ["bash", "-c"], ["nft"]])
def test_no_text_takes_long(nodes: Nodes, program: list[str], text: str) -> None:
    nodes.started(*program, f"{text} > /dev/tcp/")
    begun = time.process_time()
    nodes.verdict()
    assert time.process_time() - begun < 3
