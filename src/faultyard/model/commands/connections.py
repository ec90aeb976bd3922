"""Connections that a shell opens by redirection, and whether anything is said by them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from faultyard.model.commands.builtins import BUILTINS
from faultyard.model.commands.programs import READING
from faultyard.model.commands.shell_tokens import Sign
from faultyard.model.commands.simple_commands import SILENT, Command
from faultyard.model.commands.words import NOWHERE

NOTHING: Final = "/dev/null"
CONNECTION: Final = re.compile(r"/dev/(?:tcp|udp)(?=/)")
_SECONDS: Final = re.compile(r"\d+(?:\.\d+)?s?")
_HEARING: Final = re.compile(r"cat|head(?: -(?:[cn] ?)?\d+)?")
_KEPT: Final = re.compile(r"[3-9]|[1-9]\d+")
"""Descriptors to which nobody writes who is not told to."""
_QUIET: Final = {*READING, *BUILTINS, "date"}


def asks(command: Command, sign: Sign) -> bool:
    """Tell whether a command says nothing by a connection that one of its redirections opens.

    To connect and to say nothing is to ask whether somebody listens.
    """
    if command.closed or sign.text not in ("<", ">", "<>"):
        return False
    hears = sign.text == "<" and sign.descriptor in ("", "0") and _hears(command)
    return hears or (keeps(command, sign) and command.quiet) or _says_nothing(command)


def keeps(command: Command, sign: Sign) -> bool:
    """Tell whether what a redirection opens stays open for those who name its descriptor."""
    return command.told() == ("exec",) and bool(_KEPT.fullmatch(sign.descriptor))


def keeps_some(commands: Sequence[Command]) -> bool:
    """Tell whether one of a text's commands leaves a connection open."""
    return any(
        keeps(command, sign) and CONNECTION.match(target.text)
        for command in commands
        for sign, target in command.redirections
    )


def all_quiet(commands: Sequence[Command]) -> bool:
    """Tell whether no command of a text can write to what another has left open.

    What it starts has it open, too: so all of it only prints, and where it prints to is known.
    """
    return all(map(_quiet, commands))


def _quiet(command: Command) -> bool:
    for sign, target in command.redirections:
        nowhere = target.plain and target.text in NOWHERE - {"-"}
        copies = sign.text in (">&", "<&") and target.text in ("1", "2", "-") and target.plain
        if sign.text not in ("<", "<<<") and not (
            nowhere or copies or CONNECTION.match(target.text)
        ):
            return False
    if command.loop or not command.words:
        return True
    first, rest = command.words[0], command.words[1:]
    if first.text in ("exec", "command"):
        asked = [word.text for word in rest[:1]]
        return first.plain and asked == ([] if first.text == "exec" else ["-v"])
    return first.plain and first.text in _QUIET


def _untimed(command: Command) -> tuple[str, ...] | None:
    """Return a command's words without how long it may take."""
    told = command.told()
    timed = told is not None and told[:1] == ("timeout",) and len(told) > 2
    return told[2:] if told and timed and _SECONDS.fullmatch(told[1]) else told


def _hears(command: Command) -> bool:
    """Tell whether a command only reads what comes by its standard input."""
    told = _untimed(command)
    return told is not None and bool(_HEARING.fullmatch(" ".join(told)))


def _says_nothing(command: Command) -> bool:
    """Tell whether a command writes no more than the end of a line, by which no server acts."""
    told = _untimed(command)
    if told == ("cat",):
        given = [(s, target.text) for s, target in command.redirections if s.text[0] == "<"]
        silent = [(s.text, s.descriptor, name) for s, name in given] == [("<", "", NOTHING)]
        return silent and not command.fed
    return told == () or told in SILENT
