"""An ordinary process in the cell's cgroup that tells how long it waits for a processor.

Run as a program, with the file of the cell's processor time as argument, it prints a line for
every second: unix time, the mean lateness of its fifty wake-ups in it in milliseconds, and the
figures of the host and of the cell at its end. It takes them itself: whoever reads the lines may
be late.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

PERIOD_S = 0.02


def main() -> None:
    """Wake up, measure, print, until the reader is gone."""
    usage = Path(sys.argv[1])
    second, lags = int(time.time()), [0.0]
    while True:
        due = time.monotonic() + PERIOD_S
        time.sleep(PERIOD_S)
        lags.append(time.monotonic() - due)
        now = int(time.time())
        if now == second:
            continue
        mean = 1000 * sum(lags) / len(lags)
        figures = f"{mean:.2f} {' '.join(map(str, host_ticks()))} {cell_seconds(usage):.4f}"
        for passed in range(second, now):  # more than one, if it was not run for so long
            sys.stdout.write(f"{passed} {figures}\n")
        sys.stdout.flush()
        # What made it late reached into the new second.
        second, lags = now, lags[-1:]


def host_ticks() -> tuple[int, int]:
    """All processor time of the host and the idle part of it, in clock ticks since boot.

    Guests' time is in the users' already (proc(5), `cpu` of stat); waiting for a disk is idle.
    """
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    ticks = [int(field) for field in fields[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def cell_seconds(usage: Path) -> float:
    """Processor time of a cgroup: nanoseconds in v1's cpuacct.usage, or v2's cpu.stat."""
    words = usage.read_text().split()
    if "usage_usec" in words:
        return int(words[words.index("usage_usec") + 1]) / 1e6
    return int(words[0]) / 1e9


if __name__ == "__main__":
    main()
