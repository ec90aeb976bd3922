"""Progress of set-up: what runs, since when, and when all of it is expected to end."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from faultyard.clusters.embedded.artifacts.artifact import Lane

HEARTBEAT_S = 60.0
"""How often a log that is no terminal hears that set-up is alive."""


@dataclass(frozen=True)
class Step:
    """One thing that set-up does."""

    name: str
    """Unique."""
    title: str
    """For people."""
    lane: Lane
    expected_s: float
    """On the reference machine, in seconds."""
    needs: tuple[str, ...] = ()
    """The names of steps that must be done before; steps that are not planned count as done."""


class Progress(Protocol):
    """Who is told how set-up goes. Called from several threads."""

    def planned(self, steps: Sequence[Step]) -> None:
        """These steps will be done; empty if there is nothing to do."""

    def started(self, step: Step) -> None:
        """A step begins."""

    def ended(self, step: Step, seconds: float) -> None:
        """A step is done and took that long."""

    def failed(self, step: Step) -> None:
        """A step failed: no further ones begin, unless it is one that can be done without."""

    def tick(self, remaining_s: float) -> None:
        """Called about once a second, with the expected seconds to the end."""

    def closed(self) -> None:
        """Nothing more comes."""


@dataclass
class Lines:
    """A line when a step begins and ends, and between them a live line or a heartbeat."""

    console: Console
    count: int = 0
    begun: float = field(default_factory=time.monotonic)
    running: dict[str, tuple[Step, float]] = field(default_factory=dict)
    done: int = 0
    remaining_s: float | None = None
    last_line: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)
    live: Live | None = None

    def planned(self, steps: Sequence[Step]) -> None:
        """See `Progress`."""
        self.count = len(steps)
        if steps and self.console.is_terminal:
            self.live = Live(console=self.console, refresh_per_second=2, transient=True)
            self.live.start()

    def started(self, step: Step) -> None:
        """See `Progress`."""
        with self.lock:
            self.running[step.name] = (step, time.monotonic())
            self._print(f"start  {step.title}, about {clock(step.expected_s)}")

    def ended(self, step: Step, seconds: float) -> None:
        """See `Progress`."""
        with self.lock:
            self.running.pop(step.name)
            self.done += 1
            self._print(f"done   {step.title} in {clock(seconds)} [{self.done}/{self.count}]")

    def failed(self, step: Step) -> None:
        """See `Progress`."""
        with self.lock:
            self.running.pop(step.name)
            self._print(f"FAILED {step.title}")

    def tick(self, remaining_s: float) -> None:
        """See `Progress`."""
        with self.lock:
            self.remaining_s = remaining_s
            if self.live:
                self.live.update(Text(self._status()))
            elif time.monotonic() - self.last_line >= HEARTBEAT_S:
                self._print(self._status())

    def closed(self) -> None:
        """See `Progress`."""
        if self.live:
            self.live.stop()

    def _status(self) -> str:
        now = time.monotonic()
        parts = [
            f"{step.title} ({clock(now - at)} of about {clock(step.expected_s)})"
            for step, at in self.running.values()
        ]
        return "runs   " + "; ".join(parts) + self._end()

    def _end(self) -> str:
        if self.remaining_s is None:
            return ""
        at = datetime.now().astimezone() + timedelta(seconds=self.remaining_s)
        return f"; all done in about {clock(self.remaining_s)}, at {at:%H:%M}"

    def _print(self, text: str) -> None:
        self.last_line = time.monotonic()
        elapsed = clock(self.last_line - self.begun)
        self.console.print(Text(f"[{elapsed:>6}] {text}"), soft_wrap=True)


def clock(seconds: float) -> str:
    """Minutes and seconds, as "8:05"."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
