"""Errors of set-up: each says what happened, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from faultyard.clusters.errors import ClusterError

LAST_LINES = 15


class ArtifactError(ClusterError):
    """Set-up cannot go on, or has not been run."""

    exit_code = 3
    """The exit code of the command that met it: 2 usage, 3 infrastructure."""


class NotRoot(ArtifactError):
    """Set-up and clusters need root."""

    exit_code = 2
    what_to_do = (
        "Run it again as root, or with sudo in front of it. list, show, lint, verify, report need "
        "none; doctor tries what this machine has for cells."
    )

    def __init__(self, why: str) -> None:
        super().__init__(f"this needs root, since {why}. {self.what_to_do}")


class UnsuitableMachine(ArtifactError):
    """This machine's system, processor or disk does not fit."""


class BadImages(ArtifactError):
    """An images.yaml says something that cannot be built."""

    exit_code = 2


class NotBuilt(ArtifactError):
    """Something is needed that set-up has not built yet.

    Args:
        titles: what is missing, in words.
    """

    what_to_do = "Run `make setup`."

    def __init__(self, titles: Sequence[str]) -> None:
        shown = ", ".join(titles[:4]) + (f" and {len(titles) - 4} more" if len(titles) > 4 else "")
        super().__init__(f"not built for this checkout: {shown}. {self.what_to_do}")


class MissingPackage(ArtifactError):
    """Debian's package archive does not offer a package that is needed."""


class BuildFailed(ArtifactError):
    """A step's program failed.

    Args:
        program: what was run, shortened.
        code: its exit code.
        log: the file with all its output.
        output: the output, of which the last lines are shown.
    """

    def __init__(self, program: str, code: int, log: Path, output: str) -> None:
        tail = "\n".join("  " + line for line in output.splitlines()[-LAST_LINES:])
        super().__init__(
            f"`{program}` exited with {code}. Its last lines:\n{tail}\nAll of it: {log}"
        )


class NotFetched(ArtifactError):
    """A file could not be fetched; what it would have held is built instead."""


class WrongDigest(NotFetched):
    """What was fetched is not the file that is pinned. It was thrown away.

    Args:
        url: its address.
        pinned: the digest that it should have.
        found: the digest that it has.
    """

    def __init__(self, url: str, pinned: str, found: str) -> None:
        super().__init__(f"{url} is another file than the pinned one: {found} instead of {pinned}")


class DiskFull(ArtifactError):
    """The disk under the cache ran full.

    Args:
        folder: the cache.
        free_bytes: what is free there now.
    """

    def __init__(self, folder: Path, free_bytes: int) -> None:
        super().__init__(
            f"the disk under {folder} is full ({free_bytes / 1e9:.1f} GB free now). "
            "Free some space, or point FAULTYARD_CACHE to a larger disk, then run `make setup` "
            "again: it goes on where it stopped."
        )
