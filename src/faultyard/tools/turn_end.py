"""The end of a turn: by the agent's word, or by what it may use."""

from __future__ import annotations

import threading
from typing import Literal

Reason = Literal["resolve", "calls", "exit"]
"""`calls`: all are used up. `exit`: the agent ended, or was ended, without a word to a tool."""


class TurnEnd:
    """Whether the turn is over and why. It may be asked and set by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._reason: Reason | None = None

    @property
    def reason(self) -> Reason | None:
        """Why it is over; None while it is not."""
        return self._reason

    def end(self, reason: Reason) -> None:
        """Note that it is over; only the first reason counts."""
        with self._lock:
            if self._reason is None:
                self._reason = reason
        self._ended.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until it is over; False when it is not within `timeout_s` seconds."""
        return self._ended.wait(timeout_s)
