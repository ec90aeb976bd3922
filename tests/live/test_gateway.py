"""What nodes and pods reach on the gateway, and what they cannot do there."""

from __future__ import annotations

import pytest

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run

REGISTRY = f"http://{layout.GATEWAY}:{layout.REGISTRY_PORT}/v2/"
IMAGE = "toolbox/manifests/12"
ACCEPT = "Accept: application/vnd.oci.image.manifest.v1+json"
CONTROLLERS = {"kube-controller-manager": 10257, "kube-scheduler": 10259}


def status(cell: Cell, *argv: str) -> str:
    """What the registry answers a node."""
    curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", ACCEPT]
    return cell.nodes[0].run([*curl, *argv])


@pytest.mark.cost(1)
def test_images_can_be_pulled_and_neither_replaced_nor_deleted(cell: Cell) -> None:
    assert status(cell, REGISTRY + IMAGE) == "200"
    for method, path in (
        ("PUT", IMAGE),
        ("DELETE", IMAGE),
        ("POST", "toolbox/blobs/uploads/"),
    ):
        assert status(cell, "-X", method, REGISTRY + path) == "405", f"{method} {path}"


@pytest.mark.cost(1)
def test_nothing_else_than_what_takes_in_and_the_site_listens_there(cell: Cell) -> None:
    listening = cell.namespaces.run(["ss", "-H", "-ltn"]).splitlines()
    places = {line.split()[3] for line in listening}
    reached = {place for place in places if not place.startswith("127.0.0.1:")}
    ports = (53, layout.API_PORT, layout.REGISTRY_PORT, layout.TRACES_PORT, layout.LOGS_PORT)
    assert reached <= {f"{layout.GATEWAY}:{port}" for port in (*ports, layout.TOOLS_PORT)}
    assert {f"127.0.0.1:{port}" for port in CONTROLLERS.values()} <= places


@pytest.mark.cost(2)
def test_on_call_reads_no_paths_of_the_host_from_the_control_plane(cell: Cell) -> None:
    for page in ("/flagz", "/debug/pprof/cmdline", "/configz"):
        done = run([*cell.kubectl(), "get", "--raw", page], check=False)
        assert "not find the requested resource" in done.stderr, page
    assert run([*cell.kubectl(), "get", "--raw", "/livez"]).stdout == "ok"
    pki = cell.paths.pki
    keys = ["--cert", f"{pki}/admin.crt", "--key", f"{pki}/admin.key"]
    curl = ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", *keys]
    for port in CONTROLLERS.values():
        for page in ("flagz", "debug/pprof/cmdline"):
            url = f"https://127.0.0.1:{port}/{page}"
            assert cell.namespaces.run([*curl, url]) == "404", url
