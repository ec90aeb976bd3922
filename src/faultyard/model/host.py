"""What else the host did: whether users' figures say anything on the cluster.

A cell shares its machine. When other work takes the processors, users wait although nothing in the
cell is wrong; a verdict must not rest on such seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

MAX_FOREIGN: Final = 0.4
"""Share of the host's processor time. A cell with an application under load needs about half of
two cores at its busiest."""
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

    @property
    def foreign(self) -> float:
        """Used by anything but the cell."""
        return max(self.busy - self.cell, 0.0)


def parse_host(lines: Iterable[str]) -> dict[int, HostSecond]:
    """Read host.jsonl; by second.

    Raises:
        HostFileError: a line is not JSON, or lacks a figure.
    """
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            raw = json.loads(line)
            second = HostSecond(int(raw["t"]), float(raw["busy"]), float(raw["cell"]))
        except (ValueError, KeyError, TypeError) as error:
            raise HostFileError(f"line {number}: {error!r}") from error
        found[second.t] = second
    return found


def undisturbed(t: int, host: Mapping[int, HostSecond]) -> bool:
    """Whether the host is known to have left the cell its share around a second."""
    around = [host.get(second) for second in range(t - BEFORE_S, t + AFTER_S + 1)]
    return all(second is not None and second.foreign <= MAX_FOREIGN for second in around)
