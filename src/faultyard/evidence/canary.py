"""An ordinary process in the cell's cgroup that tells how long it waits for a processor.

Run as a program, it prints a line for every second: unix time, and the mean lateness of its
fifty wake-ups in it, in milliseconds.
"""

from __future__ import annotations

import sys
import time

PERIOD_S = 0.02


def main() -> None:
    """Wake up, measure, print, until the reader is gone."""
    second, lags = int(time.time()), [0.0]
    while True:
        due = time.monotonic() + PERIOD_S
        time.sleep(PERIOD_S)
        lags.append(time.monotonic() - due)
        now = int(time.time())
        if now == second:
            continue
        mean = 1000 * sum(lags) / len(lags)
        for passed in range(second, now):  # more than one, if it was not run for so long
            sys.stdout.write(f"{passed} {mean:.2f}\n")
        sys.stdout.flush()
        # What made it late reached into the new second.
        second, lags = now, lags[-1:]


if __name__ == "__main__":
    main()
