"""Containers that the runtime's own tools end on a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from faultyard.model.commands.containers import CRICTL, CTR, RUNC
from faultyard.model.commands.judging import program_of
from faultyard.model.commands.words import known, line

_CRICTL_ENDS: Final = frozenset({"stop", "stopp", "rm", "rmp"})
_SANDBOXES: Final = frozenset({"stopp", "rmp"})
_REMOVES: Final = frozenset({"rm", "rmp", "del", "delete", "remove"})
_TASKS: Final = frozenset({"tasks", "task", "t"})
_KILLS: Final = frozenset({"KILL", "9"})
_AT_ONCE: Final = frozenset({"", "0", "0s"})


@dataclass(frozen=True)
class Ending:
    """What one command ends."""

    ids: tuple[str, ...]
    """Of containers or of pods' sandboxes, as they were given."""
    all: bool
    """Everything on the node."""
    forced: bool
    """Without time to end by themselves."""
    sandboxes: bool
    """The IDs may be those of pods' sandboxes, which no object names."""


def ending(exe: str, argv: Sequence[str]) -> Ending | None:
    """Return what a command ends of what runs in containers; None: nothing.

    What is removed without force has ended already.

    Args:
        exe: the path by which it was started.
        argv: its arguments, the program first.
    """
    name, arguments = program_of(exe, argv)
    match name:
        case "crictl":
            return _crictl(arguments)
        case "ctr":
            return _ctr(arguments)
        case "runc":
            return _runc(arguments)
    return None


def _crictl(arguments: Sequence[str]) -> Ending | None:
    given = known(arguments, CRICTL, mixed=False, shortened=False)
    verb = given.words[0] if given and given.words else ""
    if given is None or verb not in _CRICTL_ENDS:
        return None
    told = line(given.words[1:], "t", ["--timeout"])
    force = told.has("-f", "--force")
    if verb in _REMOVES and not force:
        return None
    # To stop is to kill unless it is told how long to wait; a sandbox is never waited for.
    waits = verb == "stop" and not set(told.values("-t", "--timeout")) <= _AT_ONCE
    return Ending(told.words, told.has("-a", "--all"), not waits, verb in _SANDBOXES)


def _ctr(arguments: Sequence[str]) -> Ending | None:
    given = known(arguments, CTR, mixed=False, shortened=False)
    if given is None or given.words[:1] == () or given.words[0] not in _TASKS:
        return None
    told = line(given.words[2:], "s", ["--signal", "--exec-id"])
    verb = given.words[1] if len(given.words) > 1 else ""
    if told.has("--exec-id") or verb not in {"kill", *_REMOVES}:
        return None
    removes = verb in _REMOVES
    if removes and not told.has("-f", "--force"):
        return None
    return Ending(told.words, False, removes or _kills(told.values("-s", "--signal")), True)


def _runc(arguments: Sequence[str]) -> Ending | None:
    given = known(arguments, RUNC, mixed=False, shortened=False)
    verb = given.words[0] if given and given.words else ""
    if given is None or verb not in ("kill", "delete"):
        return None
    told = line(given.words[1:])
    if verb == "delete" and not told.has("-f", "--force"):
        return None
    ids, signals = told.words[:1], list(told.words[1:])
    return Ending(ids, False, verb == "delete" or _kills(signals), True)


def _kills(signals: list[str]) -> bool:
    return any(signal.upper().removeprefix("SIG") in _KILLS for signal in signals)
