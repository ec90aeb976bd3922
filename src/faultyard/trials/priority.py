"""Who gets the processors: when all has been seen, the verdict goes before the cell."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell

STEPS = 15
"""Of niceness: some thirty times an ordinary process's share."""
LOWEST = -20
AUTOGROUP = Path("/proc/self/autogroup")


@contextlib.contextmanager
def first() -> Iterator[None]:
    """Let this thread go before other work of the host.

    While it is judged by, a cell counts as much as sixteen processes; beside two such cells the
    verdict, of less than a second, would take ten.
    """
    with _nicer(_Thread()), _nicer(_Session()):
        yield


def yields(cell: Cell) -> None:
    """Let a cell that nobody looks at any more count as little as one that begins.

    Args:
        cell: it may be gone.
    """
    with contextlib.suppress(FileNotFoundError):  # somebody removed it
        cgroups.hold_back(cell.cgroup)


@contextlib.contextmanager
def _nicer(weighed: _Thread | _Session) -> Iterator[None]:
    usual = weighed.niceness()
    if usual is None or not weighed.set(max(LOWEST, usual - STEPS)):
        # A host may keep even root from it: then all takes longer and is the same.
        yield
        return
    try:
        yield
    finally:
        weighed.set(usual)


class _Thread:
    """This thread, among those of its group."""

    def __init__(self) -> None:
        self._id = threading.get_native_id()

    def niceness(self) -> int | None:
        return os.getpriority(os.PRIO_PROCESS, self._id)

    def set(self, niceness: int) -> bool:
        try:
            os.setpriority(os.PRIO_PROCESS, self._id, niceness)
        except PermissionError:
            return False
        return True


class _Session:
    """What the kernel weighs as one where it groups processes by their session (autogroups)."""

    def niceness(self) -> int | None:
        try:
            shown = AUTOGROUP.read_text().split()
        except FileNotFoundError:
            return None
        # A process that no `setsid` ever stood above is in no group: the file is there and empty.
        return int(shown[-1]) if shown else None

    def set(self, niceness: int) -> bool:
        try:
            AUTOGROUP.write_text(str(niceness))
        except OSError:
            return False
        return True
