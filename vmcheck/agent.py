"""Running programs in the virtual machine, which has no network: QEMU's guest agent does it.

Its protocol is a line of JSON each way over a serial port; the other end is a unix socket here.
"""

from __future__ import annotations

import base64
import json
import secrets
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANSWER_S = 60.0
LOOK_S = 0.5
LONGEST_LOOK_S = 10.0


class NoAnswer(Exception):
    """The machine's agent does not answer, or said no."""


@dataclass(frozen=True)
class Done:
    """How a program ended."""

    code: int
    """Its exit code; -1 when a signal ended it."""
    output: str
    """What it printed."""
    errors: str
    took_s: float


class Agent:
    """The agent of one machine.

    Args:
        path: the unix socket that QEMU listens on.
        patience: how many times as long as usual an answer may take.
    """

    def __init__(self, path: Path, patience: float) -> None:
        self._path = path
        self._patience = patience

    def answers(self) -> bool:
        """Whether it is there yet."""
        try:
            self._call("guest-ping", within_s=self._patience)
        except (OSError, NoAnswer):
            return False
        return True

    def run(self, script: str, within_s: float) -> Done:
        """Run a shell script as root.

        Args:
            script: for `sh -c`.
            within_s: real seconds after which it is given up.

        Raises:
            NoAnswer: it had not ended by then, or the machine is gone.
        """
        start = time.monotonic()
        asked = {"path": "/bin/sh", "arg": ["-c", script], "capture-output": True}
        pid = self._call("guest-exec", asked)["pid"]
        while True:
            state = self._call("guest-exec-status", {"pid": pid})
            took = time.monotonic() - start
            if state["exited"]:
                out, err = (_text(state, name) for name in ("out-data", "err-data"))
                return Done(state.get("exitcode", -1), out, err, took)
            if took > within_s:
                raise NoAnswer(f"not ended after {took:.0f} s: {script.strip()[:200]}")
            # A look costs the machine some of the time that it is waited for.
            time.sleep(min(LOOK_S * self._patience, LONGEST_LOOK_S))

    def _call(
        self, command: str, arguments: dict[str, Any] | None = None, within_s: float = 0
    ) -> Any:
        """One question, on a connection of its own: what a lost answer leaves is not read."""
        limit_s = within_s or ANSWER_S * self._patience
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(limit_s)
            line.connect(str(self._path))
            reader = line.makefile("rb")
            token = secrets.randbits(31)
            # The byte first tells the agent to forget half a question.
            synchronize = {"execute": "guest-sync-delimited", "arguments": {"id": token}}
            line.sendall(b"\xff" + json.dumps(synchronize).encode() + b"\n")
            while self._read(reader).get("return") != token:
                pass
            question = {"execute": command, "arguments": arguments or {}}
            line.sendall(json.dumps(question).encode() + b"\n")
            answer = self._read(reader)
        if "error" in answer:
            raise NoAnswer(f"{command}: {answer['error'].get('desc')}")
        return answer["return"]

    def _read(self, reader: Any) -> dict[str, Any]:
        line = reader.readline()
        if not line:
            raise NoAnswer("the machine has ended")
        text = line.rpartition(b"\xff")[2].strip()
        answer: dict[str, Any] = json.loads(text) if text else {}
        return answer


def _text(state: dict[str, Any], name: str) -> str:
    return base64.b64decode(state.get(name, "")).decode(errors="replace")
