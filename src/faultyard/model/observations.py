"""What a trial saw of the cluster and of its users: the only thing that checks look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from faultyard.model.client import Second
from faultyard.model.host import HostSecond
from faultyard.model.probes import Probe
from faultyard.model.snapshots import Snapshot


@dataclass(frozen=True)
class Observations:
    """Snapshots, the users' figures, and when what happened."""

    times: Mapping[str, float]
    """Moments of the trial, unix seconds; one that was not reached is absent."""
    seconds: tuple[Second, ...]
    snapshots: Mapping[str, Snapshot]
    """By name; one that was not taken is absent."""
    host: Mapping[int, HostSecond] = field(default_factory=dict)
    """What else the host did, by second; one that was not seen is absent."""
    probes: tuple[Probe, ...] = ()
    """What the harness tried, in the order in which it had its answers."""
