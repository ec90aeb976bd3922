"""What the shared fixtures hand to tests, and the names that they use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from faultyard.apps.applications import ApplicationFolder
from faultyard.clusters.embedded.cell import Cell
from faultyard.model.verdict import Verdict
from live.residue import Host

CELL = "shared"
PROBLEM = "hotel/wrong-target-port"


@dataclass(frozen=True)
class Deployed:
    """An application in the shared cell."""

    cell: Cell
    application: ApplicationFolder
    stored_before: dict[str, str]
    """Node -> the list of images that it had before the application came."""
    pulls_from: int
    """Where in the registry's log the application's pulls begin, in bytes."""


@dataclass(frozen=True)
class FixRecord:
    """The record of a trial of the control agent `fix`."""

    folder: Path
    verdict: Verdict
    host_before: Host
    host_after: Host
