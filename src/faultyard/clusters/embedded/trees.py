"""Folders that go with all that is in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import TracebackType


def delete(folder: Path) -> None:
    """Delete a folder, though somebody else may be at it too; one that is not there is no error.

    A trial ends its cell itself, also when a person has just removed it by `down`.

    Raises:
        OSError: something in it cannot be deleted.
    """
    shutil.rmtree(folder, onerror=_unless_gone)


def _unless_gone(
    _function: Callable[..., object],
    _path: str,
    info: tuple[type[BaseException], BaseException, TracebackType],
) -> None:
    if not isinstance(info[1], FileNotFoundError):
        raise info[1]
