"""The load generator's process: started before the fault, stopped after the last check."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from faultyard.load.errors import LoadError
from faultyard.load.tail import SecondsTail
from faultyard.model import client
from faultyard.model.client import Second, Window

Wrap = Callable[[Sequence[str]], list[str]]
"""Makes the command line that runs a program where the load has to come from."""

START_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 30.0
"""Longer than any journey's deadline: journeys that run when the load stops are waited for."""
WRITING_S = 10.0
"""How long after a second's end its line may take: the journeys' deadline and some more."""
LAST_WORDS = 600
"""Characters of the generator's messages that an error quotes."""


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """What the load generator does."""

    journeys: Path
    data_dir: Path
    """The folder that the tables in the journeys file are relative to."""
    targets: tuple[str, ...]
    """Addresses of the edge, host:port, between which journeys alternate."""
    rate_per_s: float
    seed: int
    metrics: str = ""
    """Where Prometheus may read what the users see, host:port; nowhere when empty."""


class LoadGenerator:
    """One run of the load generator; each needs a folder of its own.

    Args:
        binary: the program `loadgen`.
        settings: what it does.
        folder: gets client.jsonl, ledger.jsonl and load.log; made if it does not exist.
        wrap: makes the command line that enters the cell; every path has to be valid in there.
    """

    def __init__(self, binary: Path, settings: LoadSettings, folder: Path, wrap: Wrap) -> None:
        self.client_file = folder / "client.jsonl"
        self.ledger_file = folder / "ledger.jsonl"
        self._log_file = folder / "load.log"
        self._binary = binary
        self._settings = settings
        self._wrap = wrap
        self._tail = SecondsTail(self.client_file)
        self._process: subprocess.Popen[bytes] | None = None
        self._finishing = False

    def beside(self, journeys: Path, rate_per_s: float, folder: Path) -> LoadGenerator:
        """Another generator for the same edge, from the same place, with journeys of its own.

        Args:
            journeys: what it does; its tables lie beside it.
            rate_per_s: how many it begins in a second.
            folder: gets its files.
        """
        settings = replace(
            self._settings,
            journeys=journeys,
            data_dir=journeys.parent,
            rate_per_s=rate_per_s,
            metrics="",
        )
        return LoadGenerator(self._binary, settings, folder, self._wrap)

    def start(self) -> None:
        """Start it; returns when it has accepted its settings and begun.

        Raises:
            LoadError: it could not be started or ended at once; the message quotes it.
            NotReady: it did not begin within `START_TIMEOUT_S`.
        """
        if self._process is not None:
            raise LoadError("this load generator was started before; use a new one")
        self.client_file.parent.mkdir(parents=True, exist_ok=True)
        if self.client_file.exists():
            raise LoadError(f"{self.client_file} exists already; use a new folder for each run")
        argv = self._wrap(self._argv())
        with self._log_file.open("wb") as log:
            try:
                # Its standard output is unused and tells when every process of it has ended: a
                # wrapper that enters a PID namespace is only the parent of the generator. The
                # session of its own lets a signal reach both.
                self._process = subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as error:
                raise LoadError(f"the load generator cannot be started: {error}") from error
        try:
            wait_for("the load generator to begin", self._begun, timeout_s=START_TIMEOUT_S)
        except ClusterError:
            self._end(signal.SIGKILL)
            raise

    def _argv(self) -> list[str]:
        settings = self._settings
        return [
            str(self._binary),
            *("--journeys", str(settings.journeys)),
            *("--data-dir", str(settings.data_dir)),
            *("--target", ",".join(settings.targets)),
            *("--rate", str(settings.rate_per_s)),
            *("--seed", str(settings.seed)),
            *("--out", str(self.client_file)),
            *("--ledger", str(self.ledger_file)),
            *(("--metrics", settings.metrics) if settings.metrics else ()),
        ]

    def _begun(self) -> tuple[bool | None, str]:
        self.require_running()
        return (self.ledger_file.exists() or None), "it runs, but has not made its files"

    def seconds(self) -> list[Second]:
        """Every second written so far.

        Raises:
            DamagedClientFile: a line is not what the generator writes.
        """
        return self._tail.read()

    def acknowledged(self) -> bytes:
        """What of the ledger is written so far, in whole lines."""
        content = self.ledger_file.read_bytes()
        return content[: content.rfind(b"\n") + 1]

    def wait_for(
        self, predicate: Callable[[Sequence[Second]], bool], timeout_s: float, what: str
    ) -> list[Second]:
        """Wait until the seconds so far fulfil a predicate; returns them.

        Args:
            predicate: looks at every second so far.
            timeout_s: in seconds from now.
            what: the awaited condition, as a noun phrase for the error.

        Raises:
            NotReady: the deadline passed; it tells the last second's figures.
            LoadError: the generator ended.
        """

        def look() -> tuple[list[Second] | None, str]:
            # Looked at first: what a generator wrote before it ended still counts.
            ended = self._ended()
            seconds = self.seconds()
            if predicate(seconds):
                return seconds, ""
            if ended:
                self.require_running()
            return None, _last_seen(seconds)

        return wait_for(what, look, timeout_s=timeout_s, every_s=0.2)

    def observe(self, start: float, end: float) -> Window:
        """Wait until every second between two moments is written, and cut them out.

        Args:
            start: unix time.
            end: unix time; may lie in the future.

        Raises:
            NotReady: they are not there `WRITING_S` after the end.
            LoadError: the generator ended.
        """
        last = int(end) - 1
        self.wait_for(
            lambda seconds: bool(seconds) and seconds[-1].t >= last,
            timeout_s=max(end - time.time(), 0) + WRITING_S,
            what=f"the load's figures up to {end:.0f}",
        )
        return client.window(self.seconds(), start, end)

    def finish(self) -> None:
        """Have it begin no more journeys; `stop` waits for those that run.

        Does nothing to one that has ended: `stop` tells why.
        """
        if not self._ended():
            self._finishing = True
            os.killpg(self._started().pid, signal.SIGTERM)

    def stop(self) -> list[Second]:
        """Stop scheduling, wait for the journeys that run, and return every second.

        Does nothing to a generator that was stopped before.

        Raises:
            LoadError: it had ended by itself, lost figures, or did not stop in time.
        """
        process = self._started()
        if process.stdout is None or process.stdout.closed:
            return self.seconds()
        by_itself = self._ended() and not self._finishing
        in_time = self._end(signal.SIGTERM)
        if by_itself:
            raise LoadError(self._why_ended())
        if not in_time:
            raise LoadError(f"the load generator did not stop within {STOP_TIMEOUT_S:.0f} s")
        # The wrapper's exit code says nothing on the generator's; its last line does.
        last_words = self._said()
        if not last_words.endswith("journeys"):
            raise LoadError(f"the load generator failed: {last_words}")
        return self.seconds()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise LoadError("the load generator was not started")
        return self._process

    def _ended(self, within_s: float = 0) -> bool:
        """Whether every process of it has ended: the last one closes the standard output."""
        stdout = self._started().stdout
        if stdout is None or stdout.closed:
            return True
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        return bool(poll.poll(within_s * 1000))

    def require_running(self) -> None:
        """Demand that it has not ended.

        Raises:
            LoadError: it has; the message quotes it.
        """
        if self._ended():
            raise LoadError(self._why_ended())

    def _why_ended(self) -> str:
        return f"the load generator ended by itself: {self._said() or 'no message'}"

    def _said(self) -> str:
        return self._log_file.read_text(errors="replace").strip()[-LAST_WORDS:]

    def _end(self, number: signal.Signals) -> bool:
        """Signal every process of it and see them end; False if they had to be killed."""
        process = self._started()
        # Not waited for before, the first process is a zombie at worst: its group still exists.
        os.killpg(process.pid, number)
        in_time = self._ended(within_s=STOP_TIMEOUT_S)
        if not in_time:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        return in_time


def _last_seen(seconds: Sequence[Second]) -> str:
    if not seconds:
        return "no second yet"
    last = seconds[-1]
    summary = client.summarise(client.window(seconds, last.t, last.t + 1))
    worst = f", mostly {summary.errors[0][0]!r}" if summary.errors else ""
    return f"second {last.t}: {summary.ok} ok, {summary.failed} failed{worst}"
