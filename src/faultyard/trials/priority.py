"""Who gets the processors: when all has been seen, the verdict goes before the cell."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell

STEPS = 15
"""Of niceness: some thirty times an ordinary process's share."""


@contextlib.contextmanager
def before_the_cell(cell: Cell) -> Iterator[None]:
    """Let this thread go before what still runs in a cell that nobody looks at any more.

    While it is judged by, a cell counts as much as sixteen processes; beside two such cells the
    verdict, of less than a second, would take ten.

    Args:
        cell: it may be gone.
    """
    thread = threading.get_native_id()
    usual = os.getpriority(os.PRIO_PROCESS, thread)
    with contextlib.suppress(FileNotFoundError):  # somebody removed the cell
        cgroups.no_longer_prefer(cell.cgroup)
    # A host may keep even root from it: then all takes longer and is the same.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, thread, usual - STEPS)
    try:
        yield
    finally:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, usual)
