"""Files of a node, read from the host: no link that somebody put there is followed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from faultyard.clusters.errors import ClusterError

MAX_FILES: Final = 20_000
MAX_HASHED: Final = 8 << 20
"""Bytes; what is longer is compared by size and time of change."""
MAX_TEXT: Final = 64 << 10
"""Bytes; of what is longer the content is not kept."""
_READING: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
"""A pipe that is put in a file's place meanwhile must not hold the harness up."""


def look(root: Path, folder: str) -> dict[str, Any]:
    """Return every file below a folder: path on the node -> what it is.

    The content is kept where it is a short text that everybody on the node may read, and no key.

    Args:
        root: where the node's root file system lies on the host.
        folder: on the node, without the first slash.

    Raises:
        OSError: the folder is not there, or a link is in its place.
        ClusterError: there are more than `MAX_FILES` files.
    """
    found: dict[str, Any] = {}
    for path, parent, name in _entries(root, folder):
        if len(found) == MAX_FILES:
            raise ClusterError(f"/{folder} has more than {MAX_FILES} files")
        found[printable(path)] = _entry(parent, name)
    return found


def _entries(root: Path, folder: str) -> Iterator[tuple[str, int, str]]:
    top = _open(root, folder)
    try:
        for base, folders, files, parent in os.fwalk(".", dir_fd=top):
            place = f"/{folder}" if base == "." else f"/{folder}/{base.removeprefix('./')}"
            for name in (*folders, *files):
                yield f"{place}/{name}", parent, name
    finally:
        os.close(top)


def _open(root: Path, folder: str) -> int:
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for part in folder.split("/"):
        try:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
        finally:
            os.close(fd)
        fd = inner
    return fd


def _entry(parent: int, name: str) -> dict[str, Any]:
    status = os.lstat(name, dir_fd=parent)
    entry: dict[str, Any] = {
        "kind": stat.filemode(status.st_mode)[0],
        "mode": f"{stat.S_IMODE(status.st_mode):04o}",
        "owner": f"{status.st_uid}:{status.st_gid}",
    }
    if stat.S_ISLNK(status.st_mode):
        entry["link"] = printable(os.readlink(name, dir_fd=parent))
    elif stat.S_ISREG(status.st_mode):
        entry["size"] = status.st_size
        entry |= _content(parent, name, status)
    return entry


def printable(name: str) -> str:
    """Return a name as text, with what is no UTF-8 in it escaped."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _content(parent: int, name: str, status: os.stat_result) -> dict[str, Any]:
    if status.st_size > MAX_HASHED:
        return {"changed": status.st_mtime_ns}
    with open(os.open(name, _READING, dir_fd=parent), "rb") as file:  # noqa: PTH123
        content = file.read(MAX_HASHED)
    entry: dict[str, Any] = {"sha256": hashlib.sha256(content).hexdigest()}
    if len(content) <= MAX_TEXT and status.st_mode & stat.S_IROTH and not _secret(name, content):
        try:
            entry["text"] = content.decode()
        except UnicodeDecodeError:
            return entry
    return entry


def _secret(name: str, content: bytes) -> bool:
    return name.endswith((".key", ".kubeconfig")) or b"PRIVATE KEY" in content
