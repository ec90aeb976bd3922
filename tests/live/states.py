"""The state folder of one test session: a developer's own cells are never touched.

It goes with the session. One that a killed session left is found by its lock, which the kernel
has released, and removed by the next session.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from faultyard.clusters.embedded import cells

PARENT = Path("/var/lib")
LOCK = ".session"


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A state folder of its own; at the end all its cells are removed, and then itself."""
    _sweep()
    state = PARENT / f"cells-{secrets.token_hex(4)}"
    state.mkdir(mode=0o755)
    with (state / LOCK).open("w") as lock:
        flock(lock, LOCK_EX)
        try:
            yield state
        finally:
            _remove(state)


@contextlib.contextmanager
def current(state: Path) -> Iterator[None]:
    """Make it the state folder of this process and of all that it starts."""
    before = os.environ.get("FAULTYARD_STATE")
    os.environ["FAULTYARD_STATE"] = str(state)
    try:
        yield
    finally:
        del os.environ["FAULTYARD_STATE"]
        if before is not None:
            os.environ["FAULTYARD_STATE"] = before


def _sweep() -> None:
    for lock_file in PARENT.glob(f"cells-*/{LOCK}"):
        with contextlib.suppress(BlockingIOError), lock_file.open("w") as lock:
            flock(lock, LOCK_EX | LOCK_NB)
            _remove(lock_file.parent)


def _remove(state: Path) -> None:
    cells.down_all(state)
    shutil.rmtree(state)
