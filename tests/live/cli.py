"""The command line as a user runs it: a process of its own, ended only by signals."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from live import rows


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
    """

    def __init__(self, arguments: Sequence[str], state: Path, log: Path) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "faultyard", *arguments],
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

    def kill(self) -> None:
        """`kill -9`; does nothing to one that has ended."""
        self.process.kill()
        self.process.wait()

    def wait_end(self, timeout_s: float) -> int:
        """Wait until it ends by itself; returns its exit code."""
        return self.process.wait(timeout_s)
