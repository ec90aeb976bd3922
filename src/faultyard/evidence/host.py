"""Watching what else the host does, one line a second."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import MutableMapping

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.namespaces import Namespaces
from faultyard.clusters.errors import ClusterError
from faultyard.evidence import canary
from faultyard.model.host import HostSecond


class HostWatch:
    """Measures the processor time of the host and of one cell, and how long the cell waits for it.

    Args:
        namespaces: the cell's.
        seconds: gets a figure for every whole second.
    """

    def __init__(self, namespaces: Namespaces, seconds: MutableMapping[int, HostSecond]) -> None:
        self._seconds = seconds
        usage = str(cgroups.cpu_file(namespaces.cgroup))
        program = shlex.join([sys.executable, "-S", "-E", canary.__file__, usage])
        # In the cell's cgroup it waits as the cell's processes do; in its PID namespace it ends
        # with them, and it ends with this process.
        enter = f"nsenter --pid=/proc/{namespaces.pid}/ns/pid -- setpriv --pdeathsig KILL"
        self._canary = subprocess.Popen(
            ["sh", "-c", f"{cgroups.join_script(namespaces.cgroup)} exec {enter} {program}"],
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
        earlier: list[float] | None = None
        with self._canary.stdout as lines:
            for line in lines:
                at, lag_ms, *counters = line.split()
                figures = [float(counter) for counter in counters]
                if earlier is not None:
                    self._note(int(at), float(lag_ms), earlier, figures)
                earlier = figures

    def _note(self, at: int, lag_ms: float, earlier: list[float], figures: list[float]) -> None:
        total, idle, used = (now - then for now, then in zip(figures, earlier, strict=True))
        if total <= 0:  # a second that the canary slept through: as the one before
            last = self._seconds.get(at - 1)
            if last is not None:
                self._seconds[at] = HostSecond(at, last.busy, last.cell, lag_ms)
            return
        busy, cell = 1 - idle / total, used * os.sysconf("SC_CLK_TCK") / total
        self._seconds[at] = HostSecond(at, round(busy, 3), round(cell, 3), lag_ms)
