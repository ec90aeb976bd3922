"""The edge: a host name's requests reach a Service by any node, by TLS with the Secret's own."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.pki import Identity
from faultyard.clusters.waiting import wait_for
from live import kube
from live.actions import RESTS_ON

NAMESPACE = "edge-test"
HOST = "desk.meridian.example"
PLAIN_HOST = "plain.meridian.example"


def secret(cell: Cell, name: str) -> dict[str, Any]:
    """A Secret with a certificate that the cell's authority has issued now."""
    certificate = cell.authority.issue(Identity(f"edge-{name}", name, names=(HOST,)))
    files = {"tls.crt": certificate, "tls.key": certificate.with_suffix(".key")}
    data = {key: base64.b64encode(file.read_bytes()).decode() for key, file in files.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "desk-tls", "namespace": NAMESPACE},
        "type": "kubernetes.io/tls",
        "data": data,
    }


def ingress(name: str, host: str, path: str, **spec: Any) -> dict[str, Any]:
    backend = {"service": {"name": "desk", "port": {"name": "http"}}}
    rule = {
        "host": host,
        "http": {"paths": [{"path": path, "pathType": "Prefix", "backend": backend}]},
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"rules": [rule], **spec},
    }


@pytest.fixture(scope="module")
def edge(cell: Cell) -> Iterator[None]:
    """A Service behind two Ingresses, one of them with TLS."""
    cell.wait_addons()
    kube.kubectl(cell, "create", "namespace", NAMESPACE)
    pod = kube.toolbox_pod("desk", container={"command": kube.SERVER})
    pod["metadata"] |= {"namespace": NAMESPACE, "labels": {"app": "desk"}}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "desk", "namespace": NAMESPACE},
        "spec": {
            "selector": {"app": "desk"},
            "ports": [{"name": "http", "port": 80, "targetPort": 8080}],
        },
    }
    with_tls = ingress("desk", HOST, "/", tls=[{"hosts": [HOST], "secretName": "desk-tls"}])
    plain = ingress("plain", PLAIN_HOST, "/rooms", ingressClassName="nginx")
    kube.apply(cell, pod, service, secret(cell, "first"), with_tls, plain)
    ready = ["wait", "--for=condition=Ready", "pod/desk", "-n", NAMESPACE, "--timeout=60s"]
    kube.kubectl(cell, *ready)
    yield
    kube.kubectl(cell, "delete", "namespace", NAMESPACE)


def ask(cell: Cell, url: str, node: str = "172.30.0.11") -> tuple[str, str]:
    """The status, 000 for none, and the content that a client of the edge gets."""
    ca: Path = cell.paths.pki / "ca.crt"
    host = url.split("/")[2]
    argv = ["curl", "-s", "-m", "5", "--cacert", str(ca), "-w", "\n%{http_code}"]
    for port in (80, 443):
        argv += ["--resolve", f"{host}:{port}:{node}"]
    said = run(cell.namespaces.in_network([*argv, url]), check=False).stdout
    content, _, status = said.rpartition("\n")
    return status, content


def wait_answer(cell: Cell, url: str, wanted: tuple[str, str], node: str = "172.30.0.11") -> None:
    def look() -> tuple[bool | None, str]:
        found = ask(cell, url, node)
        return (True if found == wanted else None), f"answered {found}"

    wait_for(f"{url} on {node} to answer {wanted}", look, timeout_s=60, every_s=0.2)


@pytest.mark.cost(5)
def test_both_nodes_serve_a_host_by_tls_with_the_secrets_certificate(
    cell: Cell, edge: None
) -> None:
    for place in cell.node_layouts:
        wait_answer(cell, f"https://{HOST}/", ("200", "hi\n"), place.address)
    assert ask(cell, f"http://{HOST}/")[0] == "308"
    # A certificate that is of another name, and no certificate for a host that has none.
    assert ask(cell, f"https://{PLAIN_HOST}/rooms")[0] == "000"


@pytest.mark.cost(2)
def test_a_path_of_a_host_without_tls_is_served_and_others_are_not(cell: Cell, edge: None) -> None:
    wait_answer(cell, f"http://{PLAIN_HOST}/rooms/7", ("200", "hi\n"))
    assert ask(cell, f"http://{PLAIN_HOST}/roomsand")[0] == "404"
    assert ask(cell, "http://nobody.meridian.example/")[0] == "404"


@pytest.mark.cost(1)
def test_an_ingress_tells_the_addresses_of_the_edge(cell: Cell, edge: None) -> None:
    def look() -> tuple[bool | None, str]:
        status = kube.get(cell, "ingress", "desk", "-n", NAMESPACE)["status"]
        found = [each["ip"] for each in status["loadBalancer"].get("ingress", ())]
        wanted = [place.address for place in cell.node_layouts]
        return (True if found == wanted else None), f"{found}"

    wait_for("the addresses in the status", look, timeout_s=60, every_s=0.5)


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(15)
def test_a_changed_secret_changes_the_certificate_that_is_served(cell: Cell, edge: None) -> None:
    show = f"echo | openssl s_client -connect 172.30.0.12:443 -servername {HOST} 2>/dev/null"

    def subject() -> str:
        argv = ["sh", "-c", f"{show} | openssl x509 -noout -subject"]
        return run(cell.namespaces.in_network(argv), check=False).stdout

    wait_for("the certificate", lambda: ("first" in subject() or None, subject()), timeout_s=60)
    kube.apply(cell, secret(cell, "second"))
    wait_for("the new one", lambda: ("second" in subject() or None, subject()), timeout_s=60)
    wait_answer(cell, f"https://{HOST}/", ("200", "hi\n"))


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(20)
def test_a_service_that_is_gone_is_unavailable_until_it_is_back(cell: Cell, edge: None) -> None:
    url = f"http://{PLAIN_HOST}/rooms"
    wait_answer(cell, url, ("200", "hi\n"))
    service = kube.get(cell, "service", "desk", "-n", NAMESPACE)
    kube.kubectl(cell, "delete", "service", "desk", "-n", NAMESPACE)
    wait_for("it to be unavailable", lambda: (ask(cell, url)[0] == "503" or None, ""), timeout_s=60)
    spec = {key: service["spec"][key] for key in ("selector", "ports")}
    metadata = {"name": "desk", "namespace": NAMESPACE}
    kube.apply(cell, {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
    wait_answer(cell, url, ("200", "hi\n"))


@pytest.mark.long
@pytest.mark.rests_on(*RESTS_ON)
@pytest.mark.cost(15)
def test_an_ingress_that_nginx_would_refuse_takes_nobody_elses_away(cell: Cell, edge: None) -> None:
    url = f"http://{PLAIN_HOST}/rooms"
    odd = ingress("odd", "odd.meridian.example", '/"; return 200 "mine"; #')
    kube.apply(cell, odd, ingress("twice", PLAIN_HOST, "/rooms/"))
    wait_answer(cell, "http://odd.meridian.example/", ("404", ask(cell, url + "x")[1]))
    assert ask(cell, url) == ("200", "hi\n")
    kube.kubectl(cell, "delete", "ingress", "odd", "twice", "-n", NAMESPACE)
