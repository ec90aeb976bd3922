"""Running a program as the agent: what tools need of its sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from faultyard.tools import bounds
from faultyard.tools.tool import Answer


@dataclass(frozen=True)
class Finished:
    """A program's end."""

    stdout: bytes
    stderr: bytes
    code: int | None
    """Its exit code; None when it was ended at its limit."""


class Runner(Protocol):
    """Runs programs in the agent's sandbox, several at once."""

    def run(self, argv: Sequence[str], *, stdin: bytes, limit_s: float) -> Finished:
        """Run a program to its end or its limit.

        Args:
            argv: program and arguments.
            stdin: its standard input.
            limit_s: seconds.

        Raises:
            ClusterError: the sandbox failed, not the program.
        """
        ...


def answer(done: Finished, limit_s: float, max_bytes: int) -> Answer:
    """What a program printed, as a tool's answer.

    On success that is its standard output as it is. What it printed to standard error, a time-out
    and a failure follow in lines of their own.
    """
    text, cut = bounds.middle_out(done.stdout.decode(errors="replace"), max_bytes)
    said, said_cut = bounds.middle_out(done.stderr.decode(errors="replace"), max_bytes // 4)
    notes = [f"[standard error]\n{said.rstrip()}"] if said.strip() else []
    if done.code is None:
        notes.append(f"[ended after {limit_s:g} s, its timeout_s; it had not ended by itself]")
    elif done.code != 0:
        notes.append(f"[exit code {done.code}]")
    if notes and text and not text.endswith("\n"):
        text += "\n"
    shown = text + "\n".join(notes)
    failed = done.code not in {0, None}
    return Answer(shown or "[it printed nothing]", failed, cut or said_cut)
