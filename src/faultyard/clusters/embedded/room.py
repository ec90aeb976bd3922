"""Room: what is left of the disk under the state folder and of the pool on it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from faultyard.clusters.errors import Refused

LEAST_FREE_GIB = 6
"""Less than that, in GiB, is no room for the first cell."""
LEAST_LEFT_GIB = 2
"""Less than that, in GiB, is no room for one more."""
FULL_MIB = 128
"""With less than that, in MiB, whatever fails may have failed for want of room."""


def check(folder: Path, needed_gib: float = LEAST_FREE_GIB) -> float:
    """Check that a file system has room for a cell; returns what is free there, in GiB.

    Args:
        folder: on that file system.
        needed_gib: how much is needed, in GiB.

    Raises:
        Refused: it has not.
    """
    left = free_gib(folder)
    if left < needed_gib:
        raise Refused(
            f"{folder} has {left:.1f} GiB free, a cell needs {needed_gib}; free some, end cells"
            " with `faultyard down`, or set FAULTYARD_STATE to a folder on another disk"
        )
    return left


def shortage(state: Path) -> str:
    """What is full under the cells of a state folder, and what to do; empty when nothing is."""
    pool = state / "pool"
    elsewhere = "or set FAULTYARD_STATE to a folder on another disk"
    if read_only(pool):
        return (
            f"The cells' storage {pool} has become read-only, as it does when the disk under it is"
            f" full or fails: free some of {state}, then `faultyard down --all`"
        )
    if _full(state):
        return f"The disk under {state} is full: free some of it, {elsewhere}"
    if _full(pool):
        return f"The cells' storage {pool} is full: end cells with `faultyard down`, {elsewhere}"
    return ""


def told(error: Exception, state: Path) -> str:
    """An error's message, with what is full if something is: it may well be the reason."""
    message, why = str(error), shortage(state)
    return f"{message}\n  {why}" if why and why not in message else message


def read_only(pool: Path) -> bool:
    """Whether nothing can be written to the file system there, whoever tries."""
    return pool.exists() and bool(os.statvfs(pool).f_flag & os.ST_RDONLY)


def free_gib(folder: Path) -> float:
    """What is free on the file system of a folder, in GiB."""
    return shutil.disk_usage(folder).free / 2**30


def _full(place: Path) -> bool:
    return place.exists() and shutil.disk_usage(place).free < FULL_MIB * 2**20
