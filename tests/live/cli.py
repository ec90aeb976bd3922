"""The command line as a user runs it: a process of its own, ended only by signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from live import rows, stepped


def environment(state: Path | None = None) -> dict[str, str]:
    """The variables of a run of the command line; the session's state folder when None."""
    chosen: Mapping[str, str] = {"FAULTYARD_STATE": str(state)} if state else {}
    return {**os.environ, "PYTHONPATH": str(rows.ROOT / "src"), **chosen}


def faultyard(
    *arguments: str, state: Path | None = None, timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run it to its end, whatever its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "faultyard", *arguments],
        env=environment(state),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


class Running:
    """One run of the command line that goes on.

    Args:
        arguments: its arguments.
        state: the state folder.
        log: gets its output; exists afterwards.
        stop: where it stops itself, if it is to: phase, act and count, as `stepped` takes them.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        state: Path,
        log: Path,
        stop: tuple[str, str, int] | None = None,
    ) -> None:
        self.log = log
        program = ["-m", "faultyard"]
        if stop is not None:
            program = [stepped.__file__, str(log), *map(str, stop)]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, *program, *arguments],
                env=environment(state),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def wait_phase(self, phase: str, timeout_s: float = 240) -> None:
        """Wait until it reports that this phase has begun.

        Raises:
            ClusterError: it ended before; the message quotes it.
            NotReady: the phase did not come.
        """

        def look() -> tuple[bool | None, str]:
            said = self.log.read_text(errors="replace")
            if any(line.endswith(f" s  {phase}") for line in said.splitlines()):
                return True, ""
            if self.process.poll() is not None:
                raise ClusterError(f"it ended with {self.process.returncode}: {said[-1500:]}")
            return None, said[-300:]

        wait_for(f"the phase {phase!r}", look, timeout_s=timeout_s)

    def wait_stopped(self, timeout_s: float) -> bool:
        """Wait until it has stopped itself; False if it has ended before.

        Raises:
            NotReady: neither came.
        """

        def look() -> tuple[bool | None, str]:
            if self.process.poll() is not None:
                return False, ""
            stat = Path(f"/proc/{self.process.pid}/stat").read_text()
            state = stat.rpartition(")")[2].split()[0]
            return (True if state == "T" else None), self.log.read_text(errors="replace")[-300:]

        return wait_for("the command line to stop itself", look, timeout_s=timeout_s, every_s=0.02)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal; does nothing to one that has ended."""
        self.process.send_signal(number)

    def end(self, patience_s: float, grace_s: float = 60) -> int:
        """Wait for its end as a user does: with patience, then Control-C, then `kill -9`.

        Args:
            patience_s: how long it may go on by itself, in seconds.
            grace_s: how long it may take to end when it is told to, in seconds.

        Returns:
            Its exit code, negative for the signal that ended it.
        """
        for seconds, number in ((patience_s, signal.SIGINT), (grace_s, signal.SIGKILL)):
            try:
                return self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.signal(number)
        return self.process.wait()

    def kill(self) -> None:
        """`kill -9`; does nothing to one that has ended."""
        self.process.kill()
        self.process.wait()

    def wait_end(self, timeout_s: float) -> int:
        """Wait until it ends by itself; returns its exit code."""
        return self.process.wait(timeout_s)
