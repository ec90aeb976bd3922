"""Control agents: scripted ones, whose verdict is known before; they prove that a problem works.

They act like any other agent, in the same sandbox with the same credentials. All that they have
in advance is the answer, as variables.
"""

from __future__ import annotations

from dataclasses import dataclass

from faultyard.agents.agent import Turn
from faultyard.agents.processes import Exit, Program

SCRIPT = "session.sh"
"""The script's name in the sandbox, whatever it is called in the problem."""


@dataclass(frozen=True)
class Noop:
    """The agent that does nothing: no problem may take that for a repair."""

    name: str = "noop"

    def take_turn(self, turn: Turn) -> Exit:
        """End the turn at once; what it printed is nothing."""
        for path in (turn.stdout, turn.stderr):
            path.touch()
        return Exit(0, "exit")


@dataclass(frozen=True)
class ControlAgent:
    """A script of a problem, run by bash.

    Args:
        name: as in the problem's `controls`.
        script: the script's text.
    """

    name: str
    script: str

    def take_turn(self, turn: Turn) -> Exit:
        """Put the script into the agent's home and run it with the seed's parameters."""
        path = turn.sandbox.put(SCRIPT, self.script)
        program = Program(["/bin/bash", path], env=turn.parameters)
        return turn.sandbox.run(
            program, limit_s=turn.limit_s, stdout=turn.stdout, stderr=turn.stderr
        )
