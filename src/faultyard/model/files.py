"""The one module of the core that reads files.

A record, a problem and an application are folders. They are read whole, into a mapping of
relative path to content, so that parsing, hashing and grading stay functions of bytes.
"""

from __future__ import annotations

import os
from pathlib import Path


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the content of every regular file below `folder`.

    Args:
        folder: an existing folder.

    Returns:
        POSIX path relative to `folder` -> content, sorted by path. Byte-code caches and
        editors' back-ups are left out: they are by-products of looking at a folder.

    Raises:
        NotADirectoryError: `folder` is no folder.
        OSError: a file cannot be read.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    found = os.walk(folder, onerror=_raise)
    paths = sorted(Path(here, name) for here, _, names in found for name in names)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts and not path.name.endswith("~")
    }


def _raise(error: OSError) -> None:
    raise error


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    return path.read_text(encoding="utf-8")
