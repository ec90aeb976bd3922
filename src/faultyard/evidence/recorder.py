"""Writing a record: file by file as the trial goes, the manifest last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faultyard.clusters.errors import Refused
from faultyard.model import files, manifests


class Recorder:
    """One record's folder.

    Args:
        folder: made; must not hold a sealed record.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if sealed(folder):
            raise Refused(f"{folder} holds a record already; give another folder with -o")
        folder.mkdir(parents=True, exist_ok=True)
        left = [path for path in folder.rglob("*") if path.is_file()]
        for path in left:  # of a trial that was cut off
            path.unlink()

    def write(self, path: str, content: bytes) -> None:
        """Write one file of the record."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def write_json(self, path: str, content: Mapping[str, Any]) -> None:
        """Write one JSON file of the record."""
        self.write(path, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")

    def seal(self) -> None:
        """Write the manifest: from now on a changed file shows."""
        self.write(manifests.NAME, manifests.seal(files.read_folder(self.folder)))


def sealed(folder: Path) -> bool:
    """Whether the folder holds a finished record."""
    return (folder / manifests.NAME).is_file()
