"""A requirement, and what is found of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from faultyard.clusters.embedded.artifacts.machine import PROGRAMS
from faultyard.clusters.errors import ClusterError


class State(StrEnum):
    """How it stands."""

    OK = "ok"
    LIMITED = "limited"
    """Cells run without it; something is lost."""
    MISSING = "missing"
    """No cell runs without it."""
    UNTRIED = "untried"
    """Something else has to be mended first."""


@dataclass(frozen=True)
class Finding:
    """What was found of one requirement."""

    name: str
    state: State
    seen: str
    """What there is, or what went wrong."""
    remedy: str = ""
    """What to do; empty where nothing is."""


class Lacking(Exception):
    """A probe's answer: it is not there.

    Args:
        seen: what went wrong.
        remedy: what to do.
        bearable: whether cells run all the same; None: as the requirement says.
    """

    def __init__(self, seen: str, remedy: str, *, bearable: bool | None = None) -> None:
        super().__init__(seen)
        self.seen = seen
        self.remedy = remedy
        self.bearable = bearable


class NotTried(Exception):
    """A probe's answer: it cannot be tried yet; the message says why."""


@dataclass(frozen=True)
class Requirement:
    """Something that cells need of the machine."""

    name: str
    probe: Callable[[], str]
    """Tries it, and returns what was seen; raises `Lacking`, `NotTried` or a ClusterError."""
    programs: Sequence[str] = ()
    """What the probe runs, beside what every Debian has."""
    root: bool = True
    """Whether it can be tried by root alone."""
    without: str = ""
    """What is lost without it; empty: no cell runs without it."""


def look(requirement: Requirement) -> Finding:
    """Try one requirement."""
    if requirement.root and os.geteuid() != 0:
        return Finding(requirement.name, State.UNTRIED, "only root can try it")
    absent = [name for name in requirement.programs if shutil.which(name) is None]
    if absent:
        return Finding(requirement.name, State.UNTRIED, f"needs {', '.join(absent)}")
    try:
        return Finding(requirement.name, State.OK, requirement.probe())
    except Lacking as lack:
        bearable = bool(requirement.without) if lack.bearable is None else lack.bearable
        lost = f"; {requirement.without}" if bearable and requirement.without else ""
        state = State.LIMITED if bearable else State.MISSING
        return Finding(requirement.name, state, lack.seen + lost, lack.remedy)
    except NotTried as reason:
        return Finding(requirement.name, State.UNTRIED, str(reason))
    except (ClusterError, OSError) as error:
        state = State.LIMITED if requirement.without else State.MISSING
        return Finding(requirement.name, state, str(error))


def packages_of(programs: Sequence[str]) -> list[str]:
    """The Debian packages that have these programs."""
    return sorted({PROGRAMS[name] for name in programs})
