"""What an agent is to the rest of the program: a name, and a turn that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from faultyard.agents.processes import Exit
from faultyard.agents.sandbox import Sandbox
from faultyard.tools.turn_end import TurnEnd


@dataclass(frozen=True)
class Turn:
    """An agent's turn: all that it gets."""

    sandbox: Sandbox
    """Its only way to the cluster; the alert text and the credentials lie in it."""
    alert: str
    """The text that the on-call engineer is paged with."""
    limit_s: float
    """When the turn ends at the latest, in seconds from its start."""
    stdout: Path
    """File for what the agent prints."""
    stderr: Path
    """File for what it prints to standard error."""
    end: TurnEnd = field(default_factory=TurnEnd)
    """Says that it is over, by a tool; what runs in the sandbox is ended then."""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What the seed drew, as variables. For control agents alone: it is the answer."""


class Agent(Protocol):
    """Anything that can take a turn."""

    @property
    def name(self) -> str:
        """What it is called on the command line and in records."""
        ...

    def take_turn(self, turn: Turn) -> Exit:
        """Investigate and repair; the turn is over when this returns.

        Raises:
            ClusterError: the harness failed, which says nothing about the agent.
        """
        ...
