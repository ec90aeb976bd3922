"""How errors reach people and programs: what happened, what to do about it, and the exit code.

What raises them is imported here when one is met, since `--help` must be quick.
"""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click

OF_THE_HOST = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)
"""A full disk, or a folder that is not ours, is for the user to mend."""
INFRASTRUCTURE = 3
STOPPED = 130
_BY_CODE = {
    2: "Correct the command; its --help tells what it takes.",
    INFRASTRUCTURE: "Where the error does not say it: `faultyard doctor` tries what this machine"
    " lacks.",
    STOPPED: "Give the command again.",
}


@dataclass(frozen=True)
class Told:
    """An error in words."""

    text: str
    """What happened; lines after the first are indented."""
    advice: str
    """What to do; empty where the text says it."""
    exit_code: int

    def show(self, as_json: bool) -> None:
        """Print it: as text on standard error, or as one JSON object on standard output.

        Not as JSON on standard error, where the progress of a command already goes.
        """
        if as_json:
            known = self.advice or _BY_CODE.get(self.exit_code, _BY_CODE[2])
            click.echo(json.dumps({"error": self.text, "what_to_do": known}, indent=1))
            return
        advice = "" if self.advice in self.text else f"\n  {self.advice}"
        click.echo(f"error: {self.text}{advice}", err=True)


def wants_json(words: Sequence[str]) -> bool:
    """Whether a command line asks for JSON; what stands behind `--` is another program's."""
    own = words[: words.index("--")] if "--" in words else words
    return "--json" in own


def leave(told: Told) -> None:
    """Print an error and end the program with its exit code."""
    told.show(wants_json(sys.argv[1:]))
    sys.exit(told.exit_code)


def of_click(error: click.ClickException) -> Told:
    """A command line that is not understood, or names what cannot be."""
    context = getattr(error, "ctx", None)
    said = error.format_message()
    text = said[:1].lower() + said[1:]
    if context is None:
        return Told(text, "", error.exit_code)
    usage = " ".join(context.get_usage().split())
    return Told(text, f"{usage}; try: {context.command_path} --help", error.exit_code)


def of_exception(error: Exception) -> Told | None:
    """An error that is meant for people; None for a mistake of ours, which has a traceback."""
    code = exit_code(error)
    if code is None:
        return None
    advice = str(getattr(error, "what_to_do", ""))
    return Told(_text(error, code), advice, code)


def _text(error: Exception, code: int) -> str:
    """What happened; with an error of the infrastructure, also whether the cells' disk is full."""
    if code != INFRASTRUCTURE:
        return str(error)
    from faultyard.clusters.embedded import layout, room  # noqa: PLC0415

    return room.told(error, layout.state_folder())


def exit_code(error: Exception) -> int | None:
    """The exit code of an error that is meant for people; None for a mistake of ours."""
    from faultyard.agents.errors import UsageError  # noqa: PLC0415
    from faultyard.clusters.embedded.artifacts import ArtifactError  # noqa: PLC0415
    from faultyard.clusters.errors import (  # noqa: PLC0415
        ClusterError,
        UnknownName,
        WrongFolder,
        WrongSetting,
    )
    from faultyard.model.errors import (  # noqa: PLC0415
        ClosedRecord,
        DescriptionError,
        ModelError,
        NoRecord,
    )

    if isinstance(error, ArtifactError):
        return error.exit_code
    wrong_usage = (
        ClosedRecord
        | DescriptionError
        | NoRecord
        | UsageError
        | UnknownName
        | WrongFolder
        | WrongSetting
    )
    if isinstance(error, wrong_usage):
        return 2
    if isinstance(error, ClusterError | ModelError):
        return INFRASTRUCTURE
    if isinstance(error, OSError) and error.errno in OF_THE_HOST:
        return INFRASTRUCTURE
    return None
