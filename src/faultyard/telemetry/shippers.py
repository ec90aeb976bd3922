"""What runs on nodes for the telemetry: the shippers of their logs, as units of their own.

The units lie in the node's image. They start when the log store is there and their access is made.
"""

from __future__ import annotations

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.nodes import Node
from faultyard.clusters.embedded.pki import Identity

COLLECTOR = Identity("log-collector", "log-collector")
"""By it the collector reads which pod a container's log belongs to."""
UNITS = ("vlagent.service", "systemd-journal-upload.service")
FOLDER = "/etc/vlagent"
CREDENTIALS = {
    "ca.crt": "ca.crt",
    "log-collector.crt": "client.crt",
    "log-collector.key": "client.key",
}
"""File of the cell's authority -> its name on a node."""


def start(cell: Cell) -> None:
    """Start them on every node of a cell."""
    cell.authority.issue(COLLECTOR)
    kubeconfig = cell.authority.kubeconfig(COLLECTOR.file).read_text()
    for source, name in CREDENTIALS.items():
        kubeconfig = kubeconfig.replace(f"{cell.paths.pki}/{source}", f"{FOLDER}/{name}")
    for node in cell.nodes:
        _install(cell, node, kubeconfig)
        node.run(["systemctl", "enable", "--quiet", "--now", *UNITS])


def _install(cell: Cell, node: Node, kubeconfig: str) -> None:
    folder = node.root / FOLDER.lstrip("/")
    folder.mkdir(mode=0o700)
    for source, name in CREDENTIALS.items():
        (folder / name).write_bytes((cell.paths.pki / source).read_bytes())
    (folder / "kubeconfig").write_text(kubeconfig)
