"""Taking a template: from a running cell with a healthy application to a stopped one on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.nodes import SERVICES, Node
from faultyard.clusters.embedded.template import NOTE, STORE, Template

GRACE_S = 25
"""How long containers may take to end: longer than any grace period of the applications."""
WRITERS = ("kube-controller-manager", "kube-scheduler", "kube-apiserver", "etcd")
"""In the order in which they end: whoever writes before the store does."""
OF_CONTAINERS = (
    "var/lib/kubelet",
    "var/lib/cni",
    "var/log/pods",
    "var/log/containers",
    "var/log/journal",
)
"""What tells of containers and boots, below a node's root; a new node has none of it."""


def take(cell: Cell, target: Path) -> Template:
    """Stop a cell for good and make a template of it; `down` removes the rest.

    Args:
        cell: a running one.
        target: the template's folder, in the pool.

    Raises:
        ClusterError: a part of it does not stop.
    """
    names = [place.name for place in cell.node_layouts]
    _quiesce(cell.nodes)
    spaces, known = cell.namespaces, cell.description
    for writer in WRITERS:
        spaces.stop(known.processes[writer])
    cgroups.kill(cell.cgroup)
    spaces.wait_ended()
    return _keep(cell, names, target)


def _quiesce(nodes: Sequence[Node]) -> None:
    """End kubelets and all containers, databases by their own signal, and delete the containers."""
    for node in nodes:
        node.run(["systemctl", "disable", "--quiet", "--now", *SERVICES])
    for node in nodes:
        _crictl(node, "ps -q", f"stop --timeout {GRACE_S}")
        _crictl(node, "pods -q", "rmp --force")
        node.run(["systemctl", "stop", "containerd.service"])


def _crictl(node: Node, listed: str, act: str) -> None:
    """Do something to all that is listed, a few at a time."""
    crictl = f"/usr/local/bin/crictl --timeout {2 * GRACE_S}s"
    shell = f"{crictl} {listed} | xargs -r -n 1 -P 8 {crictl} {act}"
    node.run(["sh", "-c", shell], timeout_s=4 * GRACE_S)


def _keep(cell: Cell, nodes: Sequence[str], target: Path) -> Template:
    making = target.with_name(f".making-{target.name}")
    cell.pool.delete(making)
    making.mkdir(parents=True)
    for name in nodes:
        for folder in OF_CONTAINERS:
            _empty(cell.paths.roots / name / folder)
    for name in (*nodes, STORE):
        (cell.paths.roots / name).rename(making / name)
        cell.pool.freeze(making / name)
    authority = (cell.paths.pki / "ca.crt").read_text()
    note = {"taken": datetime.now(UTC).isoformat(), "authority": authority}
    (making / NOTE).write_text(json.dumps(note))
    making.rename(target)
    return Template(target)


def _empty(folder: Path) -> None:
    for path in folder.glob("*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
