"""Containers that were started anew soon after a command in their pod, however it was spelled.

The watch is the second witness: a command of which nobody knows what it does has ended the first
program of a container if that ended then, as who is told to end does, and its pod stayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from faultyard.model.case import Case
from faultyard.model.findings.container_ends import Stop, states, told
from faultyard.model.findings.executed import commands_in, restarts_in, starts_anew
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command

_KILLS: Final = re.compile(r"(?<![\w.-])[ps]?kill(?:all5?)?(?![\w-])")


def of(case: Case, pod: ObjectRef) -> list[Command]:
    """Return the commands that ended a container's first program by other words than `kill 1`.

    Args:
        case: the record; without a watch there is no second witness.
        pod: where they were given, or in a container that was added to it.
    """
    if not starts_anew(case, pod):
        return []
    added = case.sessions.own.get(f"{pod.namespace}/{pod.name}", ())
    given = sorted([*commands_in(case, pod), *added], key=lambda command: command.process.t)
    acting = [command for command in given if not command.telling]
    # Each once, and none of which the words tell it already.
    stops = told(states(case, pod)) if acting else ()
    found = dict.fromkeys(_before(acting, stop) for stop in stops)
    known = restarts_in(case, pod)
    return [command for command in found if command is not None and command not in known]


def _before(acting: Iterable[Command], stop: Stop) -> Command | None:
    """Return the last command before a container's end, if it was soon before it.

    Where that may have broken down by itself, the last that may have sent a signal.
    """
    soon = [
        command
        for command in acting
        if stop.soon_after(command.process.t) and (not stop.broken_off or _may_signal(command))
    ]
    return soon[-1] if soon else None


def _may_signal(command: Command) -> bool:
    return command.hides or any(map(_KILLS.search, command.process.argv))
