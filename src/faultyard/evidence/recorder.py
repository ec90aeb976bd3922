"""Writing a record: file by file as the trial goes, the manifest last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faultyard.clusters.errors import WrongFolder
from faultyard.model import files, manifests

FIRST = "trial.json"
"""The file that is written first: a folder with it and without a manifest is of a cut-off trial."""


class Recorder:
    """One record's folder, made with the first file: a trial without any leaves none.

    Args:
        folder: need not be there; what a trial left in it that was cut off is deleted.

    Raises:
        WrongFolder: it holds a sealed record, or files that are of no trial.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if sealed(folder):
            raise WrongFolder(f"{folder} holds a record already; give another folder with -o")
        if (folder / FIRST).is_file():
            _empty(folder)
        elif folder.is_dir() and any(folder.iterdir()):
            raise WrongFolder(
                f"{folder} holds files that are of no record; give a new folder with -o"
            )

    def write(self, path: str, content: bytes) -> None:
        """Write one file of the record."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def write_json(self, path: str, content: Mapping[str, Any]) -> None:
        """Write one JSON file of the record."""
        text = json.dumps(content, indent=1, ensure_ascii=False)
        # What is half a character, in the words of a node say, is escaped: no text stops a record.
        self.write(path, text.encode(errors="backslashreplace") + b"\n")

    def seal(self) -> None:
        """Write the manifest: from now on a changed file shows."""
        self.write(manifests.NAME, manifests.seal(files.read_folder(self.folder)))


def _empty(folder: Path) -> None:
    """Delete what is in a folder, and the folder; a link in it or to it is not followed."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()
    if not folder.is_symlink():
        folder.rmdir()


def sealed(folder: Path) -> bool:
    """Whether the folder holds a finished record."""
    return (folder / manifests.NAME).is_file()
