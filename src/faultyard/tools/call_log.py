"""The log of calls: one JSON line for each, written when it is over; a part of the record."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from pathlib import Path

from faultyard.clusters.errors import ClusterError
from faultyard.model.calls import Call


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
