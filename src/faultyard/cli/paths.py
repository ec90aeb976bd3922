"""Files and folders that people name: refused at once, in words, when nothing can come of them."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import click

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Not the place's fault; infrastructure, where everything else is wrong usage."""


class RecordFolder(click.Path):
    """A record's folder, which must be there."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Tell what this user may not see from what is not there."""
        try:
            Path(value).stat()
        except PermissionError:
            self.fail(f"this user may not look at {value}; try it with sudo", param, ctx)
        except OSError:
            pass  # which the conversion tells
        return super().convert(value, param, ctx)


RECORD = RecordFolder()


def require_folder(folder: Path) -> None:
    """Demand that a folder can be written to, or made; it is not made by that.

    Raises:
        UsageError: it cannot.
        OSError: the disk is full.
    """
    real = Path(os.path.realpath(folder))
    missing = [path for path in (real, *real.parents) if not os.path.lexists(path)]
    try:
        real.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=real):
            pass
    except OSError as error:
        raise _unusable(folder, error) from error
    finally:
        for path in missing:
            with contextlib.suppress(OSError):  # not made, or others have put something there
                path.rmdir()


def require_parent(target: Path) -> None:
    """Demand that the folder of a file is there.

    Raises:
        UsageError: it is not, or this user may not look at it.
    """
    try:
        there = target.parent.is_dir()
    except OSError as error:
        raise _unusable(target, error) from error
    if not there:
        raise click.UsageError(f"{target.parent} is not a folder; make it, or choose another place")


def write(target: Path, text: str) -> None:
    """Write a file that the user has named.

    Raises:
        UsageError: it cannot be written there.
        OSError: the disk is full.
    """
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unusable(target, error) from error


def _unusable(place: Path, error: OSError) -> Exception:
    if error.errno in FULL:
        return error
    said = (error.strerror or str(error)).lower()
    if isinstance(error, FileExistsError):
        said = "it is no folder"
    return click.UsageError(f"nothing can be written to {place} ({said}); choose another with -o")
