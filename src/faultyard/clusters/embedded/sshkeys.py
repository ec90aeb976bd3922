"""SSH key pairs of the on-call user."""

from __future__ import annotations

from pathlib import Path

from faultyard.clusters.embedded.commands import run

# The hosts are new in every cell and reached over the cell's own bridge.
OPTIONS = (
    "-o",
    "StrictHostKeyChecking=no",
    "-o",
    "UserKnownHostsFile=/dev/null",
    "-o",
    "LogLevel=ERROR",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=5",
)


def create(path: Path, comment: str) -> str:
    """Make a key pair at `path` and `path`.pub; returns the public key's line."""
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)])
    return path.with_name(f"{path.name}.pub").read_text()
