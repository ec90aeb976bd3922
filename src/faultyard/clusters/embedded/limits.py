"""Limits of the host's kernel that several cells together would run into."""

from __future__ import annotations

import contextlib
from pathlib import Path

INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
ENOUGH = 1024
"""Each cell needs about 40: root's processes in all namespaces share the limit, 128 by default.
When it is reached, kubelets and container runtimes do not start, and say little of why."""


def lift() -> None:
    """Raise what is too low; it stays so until the machine is started again.

    On a kernel that does not let root, a cell or two still run.
    """
    with contextlib.suppress(OSError):
        if int(INSTANCES.read_text()) < ENOUGH:
            INSTANCES.write_text(f"{ENOUGH}\n")
