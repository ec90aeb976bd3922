"""Watching what else the host does, one line a second."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import MutableMapping
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.errors import ClusterError
from faultyard.model.host import HostSecond


class HostWatch:
    """Measures the processor time of the whole host and of one cell, until it is stopped.

    Args:
        cgroup: the cell's.
        seconds: gets a figure for every whole second.
    """

    def __init__(self, cgroup: str, seconds: MutableMapping[int, HostSecond]) -> None:
        self._cgroup = cgroup
        self._seconds = seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="host-watch", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; the figures stay."""
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        total, idle = host_ticks()
        used = cgroups.cpu_seconds(self._cgroup)
        while not self._ended.wait(1 - time.time() % 1):
            at = int(time.time()) - 1
            now_total, now_idle = host_ticks()
            now_used = cgroups.cpu_seconds(self._cgroup)
            span = now_total - total
            if span > 0:
                busy = 1 - (now_idle - idle) / span
                cell = (now_used - used) * os.sysconf("SC_CLK_TCK") / span
                self._seconds[at] = HostSecond(at, round(busy, 3), round(cell, 3))
            total, idle, used = now_total, now_idle, now_used


def host_ticks() -> tuple[int, int]:
    """All processor time of the host and the idle part of it, in clock ticks since boot.

    Guests' time is in the users' already (proc(5), `cpu` of stat); waiting for a disk is idle.
    """
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    if fields[0] != "cpu":
        raise ClusterError("/proc/stat does not start with the processors' times")
    ticks = [int(field) for field in fields[1:9]]
    return sum(ticks), ticks[3] + ticks[4]
