"""Where things lie and which addresses they have.

Every cell has the same addresses, since each has a network namespace of its own: nothing that an
agent sees tells one cell from another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

TRIAL = "run-"
"""Names of cells begin so that end with the trial which made them."""
BRIDGE = "br0"
GATEWAY = "172.30.0.1"
SUBNET = "172.30.0.0/24"
SANDBOX_ADDRESS = "172.30.0.200"
API_PORT = 6443
TOOLS_PORT = 8900
REGISTRY_PORT = 5000
REGISTRY_HOST = "registry.meridian.internal"
TRACES_PORT = 4317
"""Takes in traces (OTLP over gRPC), on the gateway."""
LOGS_PORT = 9429
"""Takes in log lines, on the gateway."""
SITE_HOSTS = (
    REGISTRY_HOST,
    "api.meridian.internal",
    "logs.meridian.internal",
    "otel.meridian.internal",
)
"""The gateway's names."""
METRICS = "127.0.0.1:9090"
"""What answers questions is on the cell's loopback: no pod and no node reaches it."""
TRACES = "127.0.0.1:16686"
LOGS = "127.0.0.1:9428"
OBJECT_METRICS = "127.0.0.1:8080"
CLIENT_METRICS = "127.0.0.1:9115"
"""The load generator's."""
MACHINE_METRICS_PORT = 9100
"""Of every node's exporter."""
POD_CIDR = "10.240.0.0/16"
SERVICE_CIDR = "10.250.0.0/16"
API_SERVICE_IP = "10.250.0.1"
DNS_SERVICE_IP = "10.250.0.10"
CLUSTER_DOMAIN = "cluster.local"
NETWORK_POLICIES = "network-policies"
"""What enforces them on a node: program, unit, identity, table of nftables."""
MAX_NODES = 100
REGION = "eu-central-1"
ZONES = ("a", "b", "c")
"""Of the region: nodes are in them by turns."""


def state_folder() -> Path:
    """The data folder: $FAULTYARD_STATE. The default's name is neutral, as nodes may see it."""
    return Path(os.environ.get("FAULTYARD_STATE") or "/var/lib/cells")


def mark(state: Path) -> str:
    """What tells a state folder from every other one of this machine: file system and inode.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    status = state.stat()
    return f"{status.st_dev:x}-{status.st_ino:x}"


@dataclass(frozen=True)
class NodeLayout:
    """One worker: its index counts from 1."""

    index: int

    @property
    def name(self) -> str:
        """The node's name, which is its host name too."""
        return f"worker-{self.index}"

    @property
    def address(self) -> str:
        """The node's address on the cell's bridge."""
        return f"172.30.0.{10 + self.index}"

    @property
    def pod_cidr(self) -> str:
        """The addresses of the node's pods."""
        return f"10.240.{self.index}.0/24"

    @property
    def zone(self) -> str:
        """The failure domain it is in."""
        return f"{REGION}{ZONES[(self.index - 1) % len(ZONES)]}"

    @property
    def link(self) -> str:
        """The cell's end of the node's cable."""
        return f"v-{self.name}"


@dataclass(frozen=True)
class CellPaths:
    """The files of one cell: `folder` on the host's disk, `roots` on the pool."""

    folder: Path
    roots: Path

    @property
    def pki(self) -> Path:
        """Keys, certificates and kubeconfigs."""
        return self.folder / "pki"

    @property
    def log(self) -> Path:
        """One file per process of the cell."""
        return self.folder / "log"

    @property
    def telemetry(self) -> Path:
        """Configuration of the telemetry; its data lie on the pool."""
        return self.folder / "telemetry"

    @property
    def audit(self) -> Path:
        """The API server's audit log."""
        return self.folder / "audit" / "audit.jsonl"

    @property
    def begun(self) -> Path:
        """What the cluster began with, as its store had it; until it has settled."""
        return self.folder / "begun.json"

    @property
    def description(self) -> Path:
        """What `down` needs after a crash: first process, cgroup, nodes."""
        return self.folder / "cell.json"
