"""Governing: keeping a cell's nodes from the host's devices and settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.commands import run

NO_V2 = "no cgroup hierarchy of version 2 is mounted, alone or at /sys/fs/cgroup/unified"


def govern(cell: str, nodes: Iterable[str], program: Path) -> str:
    """Keep all that is on nodes from the host's devices, and from writing its settings.

    Their cgroups are made, and the cell's gets bounds. All lasts until they are deleted. A host
    that cannot is no error: what is done to its settings is then found afterwards.

    Args:
        cell: the cell's cgroup.
        nodes: the nodes' cgroups below it. The rest of the cell is the harness's: the agent's
            sandbox has settings of its own to write.
        program: built from native/confine.

    Returns:
        What this host lacks; empty: nothing.
    """
    cgroups.bound(cell)
    cgroups.deny_block_devices(cell)
    folders = []
    for node in nodes:
        cgroups.create(f"{cell}/{node}")
        folder = cgroups.governed(f"{cell}/{node}")
        if folder is None:
            return NO_V2
        folders.append(str(folder))
    done = run([str(program), *folders], check=False)
    return done.stderr.strip() if done.returncode != 0 else ""
