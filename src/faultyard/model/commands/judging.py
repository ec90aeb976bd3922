"""The judgement on one command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from faultyard.model.commands import shells
from faultyard.model.commands.files import FILES
from faultyard.model.commands.machine import MACHINE
from faultyard.model.commands.networks import NETWORKS
from faultyard.model.commands.programs import CHANGING, READING, STARTING
from faultyard.model.commands.words import Act

SYSTEM_FOLDERS: Final = frozenset(
    f"{prefix}/{name}" for prefix in ("", "/usr", "/usr/local") for name in ("bin", "sbin")
)
"""A program of a well-known name that lies elsewhere need not be the well-known one."""
_RULES: Final = {**FILES, **NETWORKS, **MACHINE}
_MULTIPLE: Final = frozenset({"busybox", "toybox"})
_DESCRIPTORS: Final = ("/proc/", "/dev/fd/")


def judge(exe: str, argv: Sequence[str], *, cut: bool = False, powerful: bool = True) -> Act:
    """Return what a command does to the machine on which it runs.

    Args:
        exe: the path by which it was started; empty: not known.
        argv: its arguments, the program first.
        cut: whether there were more.
        powerful: whether it may change anything, as root may; what a shell of another writes or
            ends is that other's own.
    """
    name, arguments = program_of(exe, argv)
    if not name:
        return Act.UNKNOWN
    if name in shells.NAMES:
        whole = not cut or not powerful
        return shells.act(arguments, powerful=powerful) if whole else Act.UNKNOWN
    for act, names in (
        (Act.READ, READING),
        (Act.CHANGE, CHANGING),
        (Act.STARTS, STARTING),
    ):
        if name in names:
            return act
    if name not in _RULES:
        return Act.UNKNOWN
    found = _RULES[name](list(arguments))
    return Act.UNKNOWN if cut and found is not Act.CHANGE else found


def program_of(exe: str, argv: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program's name and its arguments; no name: it is none of the system's own.

    The name is that of the file: what a process calls itself is its own choice. A script's
    arguments follow those of its interpreter.
    """
    words = list(argv)
    path = PurePosixPath(exe or (words[0] if words else ""))
    if str(path).startswith(_DESCRIPTORS):
        return "", ()
    if exe and str(path.parent) not in SYSTEM_FOLDERS:
        return "", ()
    arguments = words[1:]
    if exe in arguments:
        arguments = arguments[arguments.index(exe) + 1 :]
    if path.name in _MULTIPLE:
        called = PurePosixPath(words[0]).name if words else ""
        if called not in _MULTIPLE:
            return called, arguments
        return (arguments[0], arguments[1:]) if arguments else ("", ())
    return path.name, arguments
