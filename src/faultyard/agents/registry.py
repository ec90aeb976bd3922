"""Which agents there are, by the name that the command line takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from faultyard.agents import command, excavation
from faultyard.agents.agent import Agent
from faultyard.agents.attackers import attacker
from faultyard.agents.control import ControlAgent, Noop
from faultyard.agents.errors import UsageError
from faultyard.agents.human import Human
from faultyard.agents.investigator import Runbook
from faultyard.model.problem import RenderedProblem

GENERAL = {
    Noop().name: "Does nothing.",
    Runbook().name: "Investigates and repairs without a model, by the on-call tools alone.",
    excavation.NAME: "Looks at who changed what and when, and names one object; repairs nothing.",
    Human().name: "You, at a shell, with the tools and dashboards on 127.0.0.1.",
    command.NAME: "Any program of yours: -a command -- PROGRAM …",
}
"""Agents that can be put to any problem, and what they are."""


class UnknownAgent(UsageError):
    """There is no agent of this name for this problem."""


@dataclass(frozen=True)
class CommandOptions:
    """What the user said about the agents `command` and `human`."""

    argv: tuple[str, ...] = ()
    """Program and arguments, as seen from inside the sandbox."""
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Variables that it gets beside the sandbox's."""
    mounts: tuple[Path, ...] = ()
    """Folders of this machine that it sees, read-only."""
    screen: int = 1
    """Descriptor on which a person sees the turn."""


def names(problem: RenderedProblem) -> list[str]:
    """The agents that can be put to this problem: its control agents, the others, attackers."""
    controls = [control.agent for control in problem.controls]
    return list(dict.fromkeys([Noop().name, *controls, *GENERAL, *attacker.known()]))


def choose(
    name: str,
    problem: RenderedProblem,
    folder: Path,
    options: CommandOptions | None = None,
) -> Agent:
    """The agent of this name.

    Args:
        name: a control agent of the problem, an attacker, or a general one.
        problem: the problem for its seed.
        folder: the problem's folder, with the scripts.
        options: of the agents `command` and `human`.

    Raises:
        UsageError: there is none, or `command` is not called rightly.
    """
    given = options or CommandOptions()
    if given.argv and name != command.NAME:
        raise UsageError(f"only the agent {command.NAME} takes a program; {name} has its own")
    if name == command.NAME:
        return command.build(given.argv, given.env, given.mounts)
    for general in (Runbook(), excavation.Archaeologist(), Human(screen=given.screen)):
        if general.name == name:
            return general
    if name in attacker.known():
        return attacker.against(attacker.known()[name], problem, folder)
    for control in problem.controls:
        if control.agent == name and control.script is not None:
            return ControlAgent(name, (folder / control.script).read_text())
    if name in names(problem):
        return Noop(name)
    raise UnknownAgent(
        f"no agent {name} for {problem.name}; there are: {', '.join(names(problem))}"
    )
