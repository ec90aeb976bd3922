"""SSH key pairs of the on-call user."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from faultyard.clusters.embedded.commands import run
from faultyard.clusters.errors import ClusterError

# The hosts are new in every cell and reached over the cell's own bridge.
OPTIONS = (
    "-o",
    "StrictHostKeyChecking=no",
    "-o",
    "UserKnownHostsFile=/dev/null",
    "-o",
    "LogLevel=ERROR",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=5",
)


def create(path: Path, comment: str) -> str:
    """Make a key pair at `path` and `path`.pub; returns the public key's line."""
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)])
    return path.with_name(f"{path.name}.pub").read_text()


def authorize(root: Path, user: str, public_key: str) -> None:
    """Let the holder of this key, and nobody else, log in to a machine.

    The user, or root on the machine, may have put links in the way that lead to files of the host:
    none is followed, and the file is made anew.

    Args:
        root: the machine's root file system.
        user: whose home is /home/`user`.
        public_key: one line; empty: nobody.

    Raises:
        ClusterError: the home is not there, or something in it cannot be replaced.
    """
    flags = os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        with (
            _opened(str(root), os.O_DIRECTORY) as top,
            _opened("home", flags, top) as homes,
            _opened(user, flags, homes) as home,
        ):
            account = os.fstat(home)
            _make_folder(".ssh", home)
            with _opened(".ssh", flags, home) as folder:
                os.fchmod(folder, 0o700)
                os.fchown(folder, account.st_uid, account.st_gid)
                _replace("authorized_keys", public_key, folder, account)
    except OSError as error:
        raise ClusterError(f"the SSH keys in {root}/home/{user} cannot be set: {error}") from error


@contextlib.contextmanager
def _opened(name: str, flags: int, folder: int | None = None) -> Iterator[int]:
    fd = os.open(name, flags, dir_fd=folder)
    try:
        yield fd
    finally:
        os.close(fd)


def _make_folder(name: str, folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=folder)
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=folder)


def _replace(name: str, public_key: str, folder: int, account: os.stat_result) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "w") as file:
        os.fchown(file.fileno(), account.st_uid, account.st_gid)
        if public_key:
            file.write(f"{public_key.strip()}\n")
