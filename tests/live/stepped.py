"""The command line, which stops itself before a chosen act, so that a crash can be put right there.

An act is what leaves traces or looks at the world: a program started, a file or folder made, moved
or removed, a signal sent, a connection made (PEP 578 audit events). Run as a program:

    stepped.py LOG PHASE ACT COUNT ARGUMENT...

Its output goes to LOG. When the last line of that tells PHASE ("" is from the start), COUNT acts of
the kind ACT ("any" is all of them) are let pass; before the next one, or when another phase has
begun, the process stops (SIGSTOP), all its threads at once.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

ANY = "any"
ACTS = (
    "subprocess.Popen",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.kill",
    "socket.connect",
)


class Stepper:
    """Counts acts, and stops the process once.

    Args:
        log: where the phases are told.
        phase: the one to stop in.
        acts: what counts.
        count: how many are let pass.
    """

    def __init__(self, log: Path, phase: str, acts: tuple[str, ...], count: int) -> None:
        self._log, self._phase, self._acts, self._left = log, phase, acts, count
        self._stopped = False
        self._looking = False

    def hook(self, event: str, _details: tuple[object, ...]) -> None:
        """Take part in everything that Python does (`sys.addaudithook`)."""
        if self._stopped or self._looking or event not in ACTS:
            return
        self._looking = True
        lines = self._log.read_text(errors="replace").splitlines()
        phases = [line.rpartition(" s  ")[2] for line in lines] or [""]
        reached = self._phase in ("", *phases)
        over = reached and self._phase not in ("", phases[-1])
        if over or (reached and event in self._acts and self._left == 0):
            self._stopped = True
            os.kill(os.getpid(), signal.SIGSTOP)
        elif reached and event in self._acts:
            self._left -= 1
        self._looking = False


def main() -> None:
    """Run the command line in steps."""
    log, phase, act, count, *arguments = sys.argv[1:]
    acts = ACTS if act == ANY else (act,)
    # Imported first: what imports do is no act of the command's.
    from faultyard.cli import main as command  # noqa: PLC0415

    sys.argv = ["faultyard", *arguments]
    sys.addaudithook(Stepper(Path(log), phase, acts, int(count)).hook)
    command.main()


if __name__ == "__main__":
    main()
