"""Commands of which more can be told by where they are given than by their words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from faultyard.model.commands import requests, shells, speaking
from faultyard.model.commands.judging import in_a_list, program_of
from faultyard.model.commands.words import Act

_ENDING: Final = frozenset("TERM 15 INT 2 QUIT 3 KILL 9".split())
_UNLESS_HANDLED: Final = frozenset("HUP 1 ABRT 6".split())
"""Signals that end whoever does not know them; many a program reads its settings anew by HUP."""
_AWKS: Final = frozenset({"awk", "gawk"})
_INET: Final = "/inet"
"""As which file they open a connection."""
_TEXT: Final = re.compile(r"\s*(?:exec\s+)?kill\s+(-\w+\s+(?:\w+\s+)?)?(?:--\s+)?1\s*;?\s*")


def ends_first(exe: str, argv: Sequence[str], *, unless_handled: bool = False) -> bool:
    """Tell whether a command tells the process with number 1 to end, and does nothing else.

    In a container that is its own program, and the kubelet starts it anew.

    Args:
        exe: the path by which it was started.
        argv: its arguments, the program first.
        unless_handled: ask for signals that end a program only if it does not handle them.
    """
    signals = _UNLESS_HANDLED if unless_handled else _ENDING
    name, arguments = program_of(exe, argv)
    if name in shells.NAMES:
        text = shells.text_of(arguments)
        found = _TEXT.fullmatch(text) if text else None
        return found is not None and _signal((found[1] or "").split()) in signals
    given = [word for word in arguments if word != "--"]
    return name == "kill" and given[-1:] == ["1"] and _signal(given[:-1]) in signals


def _signal(options: Sequence[str]) -> str:
    """Return which signal `kill` is to send; empty: nobody knows."""
    match list(options):
        case []:
            return "TERM"
        case ["-s" | "-n" | "--signal", signal]:
            return signal.upper().removeprefix("SIG")
        case [option] if option[:1] == "-":
            signal = option.removeprefix("--signal=").removeprefix("-")
            return signal.upper().removeprefix("SIG")
    return ""


def sends_input(exe: str, argv: Sequence[str]) -> bool:
    """Tell whether a command opens a connection and sends what it is given, so nothing if nothing.

    Args:
        exe: the path by which it was started.
        argv: its arguments, the program first.
    """
    name, arguments = program_of(exe, argv)
    return requests.sends_input(name, list(arguments))


def feeds_others(exe: str, argv: Sequence[str]) -> bool:
    """Tell whether a command is a shell that may give to one program what another says.

    Args:
        exe: the path by which it was started.
        argv: its arguments, the program first.
    """
    name, arguments = program_of(exe, argv)
    if name not in shells.NAMES:
        return False
    text = shells.text_of(arguments)
    return text is None or not speaking.feeds_nobody(text, sure=_sure(name, arguments))


def mutes_senders(exe: str, argv: Sequence[str]) -> bool:
    """Tell whether a command is a shell that gives nothing to what would send it on.

    Args:
        exe: the path by which it was started.
        argv: its arguments, the program first.
    """
    name, arguments = program_of(exe, argv)
    text = shells.text_of(arguments) if name in shells.NAMES else None
    sure = _sure(name, arguments)
    return text is not None and speaking.mutes(text, requests.SENDING, sure=sure)


def _sure(shell: str, arguments: Sequence[str]) -> bool:
    """Tell whether a shell has no commands of its own making, as aliases and functions are."""
    return shells.act(shell, arguments, powerful=False) in (Act.READ, Act.STARTS)


def told(exe: str, argv: Sequence[str]) -> Sequence[str]:
    """Return what a command is told that may speak to anybody; empty: it speaks to nobody itself.

    Args:
        exe: the path by which it was started.
        argv: its arguments, the program first.
    """
    name, arguments = program_of(exe, argv)
    if name in shells.NAMES:
        text = shells.text_of(arguments)
        if text is None:
            return arguments
        return [text] if speaking.speaks(text) else []
    if name in _AWKS:
        return [word for word in arguments if _INET in word]
    if requests.may_say_anything(name, arguments) or not in_a_list(name):
        return arguments if name else argv[1:]
    return []
