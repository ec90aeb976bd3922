"""The agent `human`: a person at a shell in the sandbox, with doors to the tools and dashboards."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents.agent import Turn
from faultyard.agents.doors import Door, Doors
from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Exit, Program
from faultyard.agents.terminal import Terminal
from faultyard.clusters.embedded import cells
from faultyard.clusters.embedded.cell import Cell

NAME = "human"
FILE = "turn.json"
"""In the folder of a turn's output: where the tools are meanwhile. It goes with the cell."""
SHELL = ("/usr/bin/setsid", "--ctty", "--wait", "/bin/bash", "-i")
"""The sandbox is a session without a terminal; the shell takes the one that it is given."""
INTERRUPTED = 130
HELP = """\
You have until {} ({}). kubectl and ssh NODE work here; so do
call-tool, report-cause and resolve. Report the cause before you repair it. `faultyard report-cause`
and `faultyard resolve` do the same from another terminal. `resolve`, `exit` or the end of the input
ends your turn.
"""


@dataclass(frozen=True)
class Human:
    """A person. The turn ends with the shell, with `resolve`, or with an interrupt to us.

    Args:
        keys: descriptor of what is typed.
        screen: descriptor of what is seen.
    """

    keys: int = 0
    screen: int = 1
    name: str = NAME

    def take_turn(self, turn: Turn) -> Exit:
        """Open the doors, tell the alert, and leave the rest to the person."""
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + turn.limit_s))
        turn.stderr.touch()
        token = turn.sandbox.variables.get("MCP_TOKEN", "")
        terminal = Terminal(self.keys, self.screen, turn.stdout)
        program = Program(SHELL, env={"PS1": rf"\u@\h:\w (until {until})\$ "})
        file = turn.stdout.parent / FILE
        try:
            with Doors(token, turn.sandbox.namespaces.entered) as doors:
                _write(file, doors.open, token)
                self._show(greeting(turn, until, doors.open, token))
                ended = turn.sandbox.run_with(program, terminal, limit_s=turn.limit_s)
        except KeyboardInterrupt:
            ended = Exit(INTERRUPTED, "exit")
        finally:
            file.unlink(missing_ok=True)
        self._show(f"\nYour turn is over ({turn.end.reason or ended.reason}).\n")
        return ended

    def _show(self, text: str) -> None:
        sys.stdout.flush()
        os.write(self.screen, text.encode())


@dataclass(frozen=True)
class OpenTurn:
    """A person's turn that goes on, as others on this machine find it."""

    cell: str
    url: str
    """Of the tools."""
    token: str


def greeting(turn: Turn, until: str, doors: Sequence[Door], token: str) -> str:
    """What a person is told at the beginning."""
    listed = [f"  {door.service.name:13} {door.url}" for door in doors]
    if any(door.service.token_behind for door in doors):
        listed.append(f"  {'':13} with the header Authorization: Bearer {token}")
    minutes = f"{turn.limit_s / 60:.0f} minutes"
    reachable = ["Until then, from this machine:", *listed, ""] if listed else []
    return "\n".join(["", turn.alert.strip(), "", HELP.format(until, minutes), *reachable, ""])


def find(name: str | None = None) -> OpenTurn:
    """The turn that goes on.

    Args:
        name: of its cell; only needed when there are several.

    Raises:
        UsageError: there is none, or one has to be chosen.
    """
    found = []
    for cell in cells.names():
        file = turn_file(Cell(cell).paths.folder)
        if file.exists() and name in {None, cell}:
            content = json.loads(file.read_text())
            found.append(OpenTurn(cell, content["url"], content["token"]))
    if len(found) == 1:
        return found[0]
    if found:
        cells_ = ", ".join(each.cell for each in found)
        raise UsageError(f"several turns go on; choose one with --cell: {cells_}")
    where = f"in the cell {name}" if name else "on this machine"
    raise UsageError(
        f"no turn of the agent {NAME} goes on {where}; run PROBLEM -a {NAME} begins one"
    )


def turn_file(cell_folder: Path) -> Path:
    """Where a turn of a cell says where its tools are."""
    return cell_folder / "agent" / FILE


def _write(file: Path, doors: Sequence[Door], token: str) -> None:
    for door in doors:
        if door.service.token_behind:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as out:
                json.dump({"url": door.url, "token": token}, out)
