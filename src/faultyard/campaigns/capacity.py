"""How many trials at once this machine has room for now."""

from __future__ import annotations

import os
import time
from pathlib import Path

CORES = 0.9
"""A trial's share of the processors while its cluster starts and while users are served, measured
on two cores; below it users wait for the machine, and the trial is a runtime_error."""
MEMORY_GIB = 2.5
"""Of a cell with application, telemetry and an agent's program."""
LOOK_S = 1.0


def trials_at_once() -> int:
    """What is free now, divided by what a trial needs; at least 1."""
    return fitting(free_cores(), free_memory_gib())


def fitting(cores: float, memory_gib: float) -> int:
    """How many trials fit in so many free processors and so much free memory."""
    return max(1, min(int(cores / CORES), int(memory_gib / MEMORY_GIB)))


def free_cores() -> float:
    """Processors that were idle during `LOOK_S` seconds, of those that this process may use."""
    idle, total = _ticks()
    time.sleep(LOOK_S)
    idle_then, total_then = _ticks()
    share = (idle_then - idle) / max(total_then - total, 1)
    return share * len(os.sched_getaffinity(0))


def _ticks() -> tuple[int, int]:
    """Idle and all processor time since boot, in clock ticks (proc(5), `cpu` of stat)."""
    fields = [int(f) for f in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return fields[3] + fields[4], sum(fields)


def free_memory_gib() -> float:
    """Memory that programs could have now (proc(5), MemAvailable)."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    figures = dict(line.split(":", 1) for line in lines)
    return int(figures["MemAvailable"].split()[0]) / 2**20
