"""Attempts: scripts in a cell's kind of namespaces, which end with them and leave nothing."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.commands import WITH_US
from faultyard.clusters.embedded.namespaces import UNSHARE
from faultyard.clusters.patience import stretched
from faultyard.clusters.requirements.requirement import Lacking

PREFIX = "probe-"
LIMIT_S = 30.0
"""How long one attempt may take, in seconds; stretched where deadlines are."""
PRIVILEGED = (
    "run it on a machine or a virtual machine of its own; a container in between must be "
    "privileged and leave the kernel's interfaces writable"
)
"""What to do where the kernel refuses root."""


def attempt(script: str, remedy: str, *, env: Mapping[str, str] | None = None) -> str:
    """Run a shell script as the first process of new namespaces, until it fails or ends.

    Its /run is empty and its own. When this process dies, so does all that it started.

    Args:
        script: stops at the first command that fails.
        remedy: what to do if it fails.
        env: added to the environment.

    Returns:
        What it printed.

    Raises:
        Lacking: it failed; with the last line that it said.
    """
    limit_s = stretched(LIMIT_S)
    whole = f"mount -t tmpfs -o mode=755 tmpfs /run\n{script}"
    try:
        done = subprocess.run(
            [*WITH_US, *UNSHARE, "sh", "-ec", whole],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C", **(env or {})},
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Lacking(f"an attempt did not end within {limit_s:g} s", remedy) from error
    if done.returncode != 0:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise Lacking(said[-1].strip() if said else f"exit code {done.returncode}", remedy)
    return done.stdout


@contextlib.contextmanager
def own_cgroup() -> Iterator[str]:
    """The name of a new cgroup in every hierarchy, removed afterwards with all in it."""
    _sweep()
    name = f"{PREFIX}{os.getpid()}"
    try:
        cgroups.create(name)
        yield name
    finally:
        if any((hierarchy / name).exists() for hierarchy in cgroups.hierarchies()):
            cgroups.kill(name)
            cgroups.remove(name)


def _sweep() -> None:
    """Remove the empty cgroups that killed ones of us have left."""
    folders = (each for h in cgroups.hierarchies() for each in h.glob(f"{PREFIX}*"))
    for name in {folder.name for folder in folders}:
        ended = not Path(f"/proc/{name.removeprefix(PREFIX)}").exists()
        if ended and not cgroups.processes(name):
            cgroups.remove(name)
