"""What every cell's cluster has in pods: name server, volumes, metrics API, ingress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters import workloads
from faultyard.clusters.api import Api
from faultyard.clusters.embedded.commands import run

MANIFESTS = Path(__file__).parent / "manifests"


@dataclass(frozen=True)
class Addons:
    """Some of them."""

    manifests: tuple[str, ...]
    workloads: tuple[workloads.Workload, ...]


FIRST = Addons(
    ("10-access.yaml", "20-coredns.yaml", "30-local-path.yaml"),
    (
        ("Deployment", "kube-system", "coredns"),
        ("Deployment", "local-path-storage", "local-path-provisioner"),
    ),
)
"""What a cell that is up has at least."""
LATER = Addons(
    ("40-metrics.yaml", "50-ingress.yaml"),
    (
        ("Deployment", "kube-system", "metrics-server"),
        ("DaemonSet", "kube-system", "ingress-nginx"),
    ),
)
"""What it has soon after: their images are larger, and would keep the first ones waiting."""


def install(kubectl: Sequence[str], addons: Addons) -> None:
    """Apply their manifests.

    Args:
        kubectl: the administrator's command line.
        addons: which.
    """
    files = [f"--filename={MANIFESTS / name}" for name in addons.manifests]
    run([*kubectl, "apply", "--server-side", "--field-manager=kubeadm", *files], timeout_s=60)


def wait(api: Api, addons: Addons, timeout_s: float = 120) -> None:
    """Wait until they serve.

    Args:
        api: an administrator's connection; call this inside the cell's network.
        addons: which.
        timeout_s: in seconds from now.

    Raises:
        NotReady: it took longer.
    """
    workloads.wait_complete(api, addons.workloads, timeout_s)
