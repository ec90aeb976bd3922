"""The judgement on one command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from faultyard.model.commands import shells
from faultyard.model.commands.containers import CONTAINERS
from faultyard.model.commands.files import FILES
from faultyard.model.commands.looking import LOOKING
from faultyard.model.commands.machine import MACHINE
from faultyard.model.commands.networks import NETWORKS
from faultyard.model.commands.programs import CHANGING, HIDING, READING
from faultyard.model.commands.requests import REQUESTS
from faultyard.model.commands.starters import STARTERS
from faultyard.model.commands.words import Act, hidden, worst

SYSTEM_FOLDERS: Final = frozenset(
    f"{prefix}/{name}" for prefix in ("", "/usr", "/usr/local") for name in ("bin", "sbin")
)
"""A program of a well-known name that lies elsewhere need not be the well-known one."""
_RULES: Final = {**FILES, **NETWORKS, **REQUESTS, **MACHINE, **LOOKING, **CONTAINERS, **STARTERS}
_OF_TERMINALS: Final = frozenset({"less", "pager", "zless", "view"})
"""They write files and run commands by keys that nobody sees."""
_MULTIPLE: Final = frozenset({"busybox", "toybox"})
_SCRIPTS: Final = frozenset(
    """10-uname adduser addgroup bzgrep deluser delgroup dpkg-reconfigure egrep fgrep gunzip
    invoke-rc.d ldd lesspipe service update-rc.d which xzgrep zcat zcmp zdiff zegrep zfgrep zgrep
    zmore""".split()
)
_ASKING: Final = (["--version"], ["--help"])
"""What any of the system's programs is asked so is what it is, if nothing else is asked."""
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
    if list(arguments) in _ASKING and not cut and not _renamed(exe, argv):
        return Act.READ
    found = _judged(name, list(arguments), powerful)
    if name in shells.NAMES:
        return Act.UNKNOWN if cut else found
    if _renamed(exe, argv):
        # Programs of several names do what they are called, whatever their file is.
        found = worst([found, Act.UNKNOWN])
    if found is Act.CHANGE and not powerful and any(map(hidden, arguments)):
        return Act.MIXED
    return worst([found, Act.UNKNOWN]) if cut and name in _RULES else found


def _judged(name: str, arguments: Sequence[str], powerful: bool) -> Act:
    if name in shells.NAMES:
        return shells.act(name, arguments, powerful=powerful)
    if name in READING or (name in _OF_TERMINALS and not powerful):
        return Act.READ
    if name in CHANGING:
        return Act.CHANGE
    if name in HIDING:
        return Act.MIXED
    return _RULES[name](arguments) if name in _RULES else Act.UNKNOWN


def in_a_list(name: str) -> bool:
    """Tell whether it is known of a program what it does, or what it is told decides it."""
    return name in {*_RULES, *READING, *CHANGING, *_OF_TERMINALS}


def _renamed(exe: str, argv: Sequence[str]) -> bool:
    """Tell whether a process has another name than its file, and is no script."""
    called = PurePosixPath(argv[0]).name.removeprefix("-") if argv else ""
    path = PurePosixPath(exe)
    script = path.name in _SCRIPTS and _place_of(exe, argv)
    return path.name not in _MULTIPLE and called != path.name and not script


def _place_of(exe: str, argv: Sequence[str]) -> int:
    """Return where a script stands behind its interpreter, which may have one option."""
    place = 2 if len(argv) > 2 and argv[1].startswith("-") else 1
    return place if exe in argv[place : place + 1] else 0


def program_of(exe: str, argv: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program's name and its arguments; no name: it is none of the system's own.

    The name is that of the file: what a process calls itself is its own choice. A script's
    arguments follow those of its interpreter.
    """
    words = list(argv)
    path = PurePosixPath(exe or (words[0] if words else ""))
    if str(path).startswith(_DESCRIPTORS):
        return "", ()
    if str(path.parent) not in SYSTEM_FOLDERS:
        return "", ()
    arguments = words[1:]
    if path.name in _SCRIPTS:
        arguments = arguments[_place_of(exe, words) :]
    if path.name in _MULTIPLE:
        called = PurePosixPath(words[0]).name if words else ""
        if called not in _MULTIPLE:
            return called, arguments
        return (arguments[0], arguments[1:]) if arguments else ("", ())
    return path.name, arguments
