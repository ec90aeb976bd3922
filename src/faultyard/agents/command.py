"""The agent `command`: any program of the user's. It ends its turn by exiting."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents import view
from faultyard.agents.agent import Turn
from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Exit, Program

NAME = "command"
OPTION_MOUNT = "--mount"
OPTION_ENV = "--env"


class WrongCommand(UsageError):
    """The program cannot be run in the sandbox as it was given."""


@dataclass(frozen=True)
class CommandAgent:
    """A program of the user's.

    Args:
        program: what is run.
    """

    program: Program
    name: str = NAME

    def take_turn(self, turn: Turn) -> Exit:
        """Run the program.

        Raises:
            WrongCommand: the sandbox has no such program.
        """
        if not turn.sandbox.has(self.program):
            raise WrongCommand(
                f"the sandbox has no program {self.program.argv[0]}. It shows this machine's /usr "
                f"without /usr/local; {OPTION_MOUNT} FOLDER shows it a folder of yours under the "
                "same path, and a program there is called by its whole path."
            )
        return turn.sandbox.run(
            self.program, limit_s=turn.limit_s, stdout=turn.stdout, stderr=turn.stderr
        )


def build(argv: Sequence[str], env: Mapping[str, str], mounts: Sequence[Path]) -> CommandAgent:
    """The agent for a command line.

    Args:
        argv: program and arguments, as seen from inside the sandbox.
        env: variables that the user hands through.
        mounts: folders of this machine that it sees, read-only, under the same path.

    Raises:
        WrongCommand: there is no program, or it would replace a part of the sandbox.
    """
    if not argv:
        raise WrongCommand(
            "the agent `command` needs a program: … -a command -- python3 /srv/agent/main.py"
        )
    taken = sorted(set(env) & set(view.VARIABLES))
    if taken:
        raise WrongCommand(f"{OPTION_ENV} {taken[0]}: the sandbox sets that variable itself")
    places = {}
    for folder in mounts:
        path = Path(os.path.abspath(folder))  # noqa: PTH100 - a link keeps its own name
        if not path.exists():
            raise WrongCommand(f"{OPTION_MOUNT} {folder}: there is no such file or folder")
        needed = 0o005 if path.is_dir() else 0o004
        if path.stat().st_mode & needed != needed:
            raise WrongCommand(
                f"{OPTION_MOUNT} {folder}: the agent runs as a user of its own, who cannot read "
                f"that; let everybody read it: chmod -R o+rX {path}"
            )
        if covers_a_part(path):
            raise WrongCommand(
                f"{OPTION_MOUNT} {folder}: that would hide a part of the sandbox; "
                "put the agent's program into a folder of its own, such as /srv/agent"
            )
        places[path] = str(path)
    return CommandAgent(Program(tuple(argv), dict(env), places))


def covers_a_part(path: Path) -> bool:
    """Whether something shown at this path would lie over what the sandbox itself has."""
    own = [Path(p) for p in ("/etc", "/proc", "/dev", "/sys", "/run", "/bin", "/sbin", "/lib")]
    own += [Path("/lib64"), Path(view.HOME), Path(view.TOOLS_PLACE), Path("/usr/bin")]
    return any(path == part or path in part.parents or part in path.parents for part in own)


def passed_through(names: Sequence[str]) -> dict[str, str]:
    """The values of the variables that the user hands through by name.

    Raises:
        WrongCommand: one is not set.
    """
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise WrongCommand(f"{OPTION_ENV} {missing[0]}: there is no such variable to hand through")
    return {name: os.environ[name] for name in names}
