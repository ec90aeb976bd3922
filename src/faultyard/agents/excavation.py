"""The agent `archaeologist`: the program in the package beside, run like anybody's.

If metadata alone were enough to find what is wrong, the way in which faults come would give them
away.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents.agent import Turn
from faultyard.agents.processes import Exit, Program

FOLDER = Path(__file__).parent / "archaeologist"
NAME = FOLDER.name
PYTHON = "/usr/bin/python3"
"""Any will do: the program needs nothing but Python's own library."""
PLACE = "/opt/history"
"""Where the program lies on the agent's machine."""


@dataclass(frozen=True)
class Archaeologist:
    """One who digs in metadata alone."""

    name: str = NAME

    def take_turn(self, turn: Turn) -> Exit:
        """Bring the program in and run it."""
        part = turn.sandbox.install("history", install)
        program = Program([PYTHON, "-m", NAME], env={"PYTHONPATH": PLACE}, parts={part: PLACE})
        return turn.sandbox.run(
            program, limit_s=turn.limit_s, stdout=turn.stdout, stderr=turn.stderr
        )


def install(folder: Path) -> None:
    """Put the program into a folder."""
    (folder / NAME).mkdir()
    for file in FOLDER.glob("*.py"):
        shutil.copyfile(file, folder / NAME / file.name)
