"""The log of calls: one JSON line for each, written when it is over; a part of the record."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from faultyard.clusters.errors import ClusterError

Outcome = Literal["ok", "error", "malformed", "declined", "over", "failed"]
"""`error`: what it ran failed. `malformed`: not understood. `declined`: understood, not done.
`over`: the turn was. `failed`: through the harness."""


@dataclass(frozen=True)
class Call:
    """One call."""

    n: int
    """Counts from 1, in the order of their beginnings."""
    t: float
    """When it began, unix seconds."""
    duration_s: float
    tool: str
    """As the agent wrote it; empty when it was no name."""
    arguments: Any
    """As they were sent."""
    outcome: Outcome
    bytes: int
    """Of the answer."""
    cut: bool
    """The answer was shortened, and said so."""
    answer: str
    """The answer, as it was sent."""
    failure: str = ""
    """What failed through the harness, in words that the agent does not get."""


class CallLog:
    """The log's file. Lines may come from several threads.

    Args:
        path: is made; must not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._failure = ""
        self._file = path.open("x", encoding="utf-8")

    def write(self, call: Call) -> None:
        """Add a line; that it could not be written is told by `close`."""
        line = json.dumps(asdict(call)) + "\n"
        with self._lock:
            if self._file.closed:
                return
            try:
                self._file.write(line)
                self._file.flush()
            except OSError as error:
                self._failure = str(error)

    def close(self) -> None:
        """Close it; a second time is no error.

        Raises:
            ClusterError: some line could not be written: the record has a gap.
        """
        with self._lock:
            self._file.close()
        if self._failure:
            raise ClusterError(f"the log of the agent's calls has a gap: {self._failure}")
