"""The agent `runbook`: the investigator in the package beside, run like anybody's program."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents import library
from faultyard.agents.agent import Turn
from faultyard.agents.processes import Exit, Program

PACKAGE = Path(__file__).parent / "runbook"
PLACE = "/opt/oncall"
"""Where the program and its packages lie on the agent's machine."""


@dataclass(frozen=True)
class Runbook:
    """An investigator without a model."""

    name: str = PACKAGE.name

    def take_turn(self, turn: Turn) -> Exit:
        """Bring the program in and run it.

        Raises:
            UsageError: the sandbox has no Python that fits.
        """
        part = turn.sandbox.install("oncall", install)
        program = Program(
            [library.PYTHON, "-m", PACKAGE.name], env={"PYTHONPATH": PLACE}, parts={part: PLACE}
        )
        return turn.sandbox.run(
            program, limit_s=turn.limit_s, stdout=turn.stdout, stderr=turn.stderr
        )


def install(folder: Path) -> None:
    """Put the program and what it imports into a folder."""
    library.copy(folder)
    (folder / PACKAGE.name).mkdir()
    for file in PACKAGE.glob("*.py"):
        shutil.copyfile(file, folder / PACKAGE.name / file.name)
