"""What else the host did: whether users' figures say anything on the cluster.

A cell shares its machine. When other work takes the processors, users wait although nothing in the
cell is wrong; a verdict must not rest on such seconds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

MAX_FOREIGN: Final = 0.25
"""Share of the host's processor time."""
MAX_LAG_MS: Final = 3
"""Mean wait for a processor. A journey passes some ten processes several times, one after the
other. On an idle host it is 0.2 to 1 ms; at 6 to 11 ms deadlines of 2 s were seen to be missed."""
BEFORE_S: Final = 1
AFTER_S: Final = 2
"""A journey that starts in a second may run for some more, and waits behind earlier ones."""


class HostFileError(ValueError):
    """A line is not what the harness writes."""


@dataclass(frozen=True)
class HostSecond:
    """One second of the host's processor time, as shares of what all its cores can do."""

    t: int
    """Unix time."""
    busy: float
    """Not idle, time stolen by a hypervisor included."""
    cell: float
    """Used by this trial's cell."""
    lag_ms: float
    """How long an ordinary process of the cell waited for a processor, mean, milliseconds."""

    @property
    def foreign(self) -> float:
        """Used by anything but the cell."""
        return max(self.busy - self.cell, 0.0)

    @property
    def disturbing(self) -> bool:
        """Whether the cell waited, and for others.

        A cell that waits for itself alone is slow by its own doing; other work that leaves the
        cell its share does no harm.
        """
        return self.foreign > MAX_FOREIGN and self.lag_ms > MAX_LAG_MS


def parse_host(lines: Iterable[str]) -> dict[int, HostSecond]:
    """Read host.jsonl; by second.

    Raises:
        HostFileError: a line is not JSON, or lacks a figure.
    """
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            raw = json.loads(line)
            figures = (float(raw[name]) for name in ("busy", "cell", "lag_ms"))
            second = HostSecond(int(raw["t"]), *figures)
        except (ValueError, KeyError, TypeError) as error:
            raise HostFileError(f"line {number}: {error!r}") from error
        found[second.t] = second
    return found


def undisturbed(t: int, host: Mapping[int, HostSecond], longest_ms: float | None = None) -> bool:
    """Whether the host is known to have left the cell its share around a second.

    Args:
        t: the second, unix time.
        host: by second.
        longest_ms: the longest of the journeys that were to start in it: nothing that came when
            they had all ended can have held them up. None: not known.
    """
    after = AFTER_S if longest_ms is None else min(math.ceil(longest_ms / 1000), AFTER_S)
    around = [host.get(second) for second in range(t - BEFORE_S, t + after + 1)]
    return all(second is not None and not second.disturbing for second in around)
