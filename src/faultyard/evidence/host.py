"""Watching what else the host does, one line a second."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import MutableMapping
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.errors import ClusterError
from faultyard.evidence import canary
from faultyard.model.host import HostSecond


class HostWatch:
    """Measures the processor time of the host and of one cell, and how long the cell waits for it.

    Args:
        cgroup: the cell's.
        seconds: gets a figure for every whole second.
    """

    def __init__(self, cgroup: str, seconds: MutableMapping[int, HostSecond]) -> None:
        self._cgroup = cgroup
        self._seconds = seconds
        program = shlex.join([sys.executable, "-S", "-E", canary.__file__])
        # In the cell's cgroup it waits as the cell's processes do, and ends with them.
        self._canary = subprocess.Popen(
            ["sh", "-c", f"{cgroups.join_script(cgroup)} exec {program}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._thread = threading.Thread(target=self._watch, name="host-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End; the figures stay."""
        self._canary.kill()
        self._canary.wait()
        self._thread.join()

    def _watch(self) -> None:
        if self._canary.stdout is None:
            raise ClusterError("the canary has no output")
        total, idle = host_ticks()
        used = cgroups.cpu_seconds(self._cgroup)
        with self._canary.stdout as lines:
            for line in lines:
                at, lag_ms = line.split()
                now_total, now_idle = host_ticks()
                now_used = cgroups.cpu_seconds(self._cgroup)
                span = max(now_total - total, 1)
                busy = 1 - (now_idle - idle) / span
                cell = (now_used - used) * os.sysconf("SC_CLK_TCK") / span
                self._seconds[int(at)] = HostSecond(
                    int(at), round(busy, 3), round(cell, 3), float(lag_ms)
                )
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
