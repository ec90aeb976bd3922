"""What a trial has seen so far, in the form in which the verdict will read it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from faultyard.model import snapshots, watch
from faultyard.model.client import Second
from faultyard.model.host import HostSecond
from faultyard.model.observations import Observations
from faultyard.model.probes import Probe


@dataclass
class Timeline:
    """Moments and snapshots of a running trial."""

    times: dict[str, float] = field(default_factory=dict)
    """Unix seconds; one that was not reached is absent."""
    raw_snapshots: dict[str, bytes] = field(default_factory=dict)
    node_states: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Moment -> node -> its state beside the cluster."""
    host: dict[int, HostSecond] = field(default_factory=dict)
    """What else the host did; filled by the host's watcher meanwhile."""
    probes: list[Probe] = field(default_factory=list)
    """What was tried; filled by who tries it meanwhile."""
    protocol: list[dict[str, str | float]] = field(default_factory=list)
    """What was done with the turn, step by step, as the record shows it."""
    _parsed: dict[str, tuple[bytes, snapshots.Snapshot]] = field(default_factory=dict)

    def mark(self, name: str, at: float | None = None) -> float:
        """Note a moment; now when `at` is None."""
        self.times[name] = time.time() if at is None else at
        return self.times[name]

    def step(self, what: str, detail: str = "") -> None:
        """Write down a step of the protocol, done now."""
        self.protocol.append({"t": round(time.time(), 3), "what": what, "detail": detail})

    @property
    def snapshots(self) -> dict[str, snapshots.Snapshot]:
        """The snapshots that were taken, parsed; each once, as checks ask every second."""
        for name, raw in self.raw_snapshots.items():
            known = self._parsed.get(name)
            if known is None or known[0] is not raw:
                self._parsed[name] = (raw, snapshots.parse(raw, name))
        return {name: self._parsed[name][1] for name in self.raw_snapshots}

    def all_seen(self, lines: bytes) -> bool:
        """Whether the watch leads to the last snapshot; without one it need not.

        Args:
            lines: what the watch saw so far.
        """
        taken = self.snapshots
        if "end" not in taken:
            return True
        return not watch.unseen(watch.parse(lines), taken["before"], taken["end"])

    def observations(self, seconds: Sequence[Second]) -> Observations:
        """What checks look at."""
        return Observations(
            dict(self.times),
            tuple(seconds),
            self.snapshots,
            dict(self.host),
            tuple(self.probes),
        )
