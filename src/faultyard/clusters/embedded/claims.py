"""Claims: one process at a time brings up a cell of a name."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from faultyard.clusters.errors import Refused


@contextlib.contextmanager
def claimed(folder: Path, clear: Callable[[], None]) -> Iterator[None]:
    """Hold a cell's folder, empty at first; the kernel lets go of it when this process dies.

    One that is empty in the end goes again.

    Args:
        folder: is made.
        clear: removes what is in it, which nobody uses, and the folder.

    Raises:
        Refused: another process holds it.
    """
    with _held(folder):
        if any(folder.iterdir()):
            clear()
    with _held(folder):
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # something is in it, or it has been removed
                folder.rmdir()


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _lock(descriptor, folder.name)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, name: str) -> None:
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError as error:
        raise Refused(f"somebody is bringing up a cell named {name}; wait for it") from error
