"""What the tests of users' actions share: somebody on call, a namespace, a Deployment in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faultyard.agents.session import Session
from faultyard.clusters.embedded.cell import Cell
from live.desk import NAMESPACE, Desk, deployment

LIFETIME_S = 3600
CLUSTERS = "src/faultyard/clusters/embedded"
RESTS_ON = (
    *(f"{CLUSTERS}/{name}.py" for name in ("addons", "control_plane", "node_files", "nodes")),
    *(f"{CLUSTERS}/manifests", "native/platform", "native/addons"),
)
"""What makes a cell's cluster what users find; how it is stored and started is not."""


@pytest.fixture(scope="module")
def admin(cell: Cell) -> Iterator[Desk]:
    """The administrator's kubectl, and the namespace that is made for these tests."""
    cell.wait_addons()
    made = Desk(cell, cell.paths.pki / "admin.kubeconfig")
    made("create", "namespace", NAMESPACE)
    yield made
    made("delete", "namespace", NAMESPACE, "--timeout=120s")


@pytest.fixture(scope="module")
def oncall(cell: Cell, admin: Desk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The kubectl of somebody on call."""
    folder = tmp_path_factory.mktemp("oncall")
    with Session.open(cell, folder / "session", lifetime_s=LIFETIME_S) as session:
        kubeconfig = folder / "kubeconfig"
        kubeconfig.touch(mode=0o600)
        kubeconfig.write_text(session.kubeconfig)
        yield Desk(cell, kubeconfig)


@pytest.fixture(scope="module")
def web(oncall: Desk) -> str:
    """A Deployment of two pods that serve, and its Service."""
    oncall.apply(deployment("web", replicas=2))
    oncall("rollout", "status", "deployment/web", "--timeout=90s")
    return "web"
