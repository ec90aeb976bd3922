"""The agent `command`: any program of the user's. It ends its turn by exiting."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents import bastion, view
from faultyard.agents.agent import Turn
from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Exit, Program

NAME = "command"
OPTION_MOUNT = "--mount"
OPTION_ENV = "--env"
TOOLS = frozenset(Path(view.TOOLS_PLACE, name) for name in ("kubectl", *bastion.COMMANDS))
"""Programs that the sandbox has of its own."""


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
            raise _no_program(self.program.argv[0])
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
        WrongCommand: there is no program, or it would replace a part of the sandbox, or the
            sandbox would not show it.
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
    _require_program(argv[0], tuple(places))
    return CommandAgent(Program(tuple(argv), dict(env), places))


def _require_program(name: str, mounts: Collection[Path]) -> None:
    """Look for a program on this machine as the sandbox would, which is not made yet.

    What leads out of the folders that are shown, by a link, shows in the turn alone.
    """
    if "/" in name:
        places = [Path(os.path.normpath(Path(view.HOME, name)))]
    else:
        places = [Path(folder, name) for folder in view.VARIABLES["PATH"].split(":")]
    if any(place in TOOLS for place in places):
        return
    found = [place for place in places if _shown(place, mounts) and place.is_file()]
    if not found:
        raise _no_program(name)
    if not any(place.stat().st_mode & stat.S_IXOTH for place in found):
        raise WrongCommand(
            f"{found[0]} is no program for everybody, and the agent runs as a user of its own: "
            f"chmod a+rx {found[0]}, or call it by its interpreter"
        )


def _shown(place: Path, mounts: Collection[Path]) -> bool:
    return view.shows(place) or any(place.is_relative_to(mount) for mount in mounts)


def _no_program(name: str) -> WrongCommand:
    return WrongCommand(
        f"the sandbox has no program {name}. It shows this machine's /usr without /usr/local; "
        f"{OPTION_MOUNT} FOLDER shows it a folder of yours under the same path, and a program "
        "there is called by its whole path."
    )


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
