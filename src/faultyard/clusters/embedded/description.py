"""What is kept about a cell on disk."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Description:
    """A cell's description, for other processes and for after a crash."""

    name: str
    nodes: int
    pid: int
    started: int
    kube: str
    """The binary with kubectl in it that this cell was started with."""
    processes: dict[str, int]
    begun: float = 0
    """When its start began, in unix seconds."""
    confine: str = ""
    """The program that filters what is started on its nodes; a cell of an older version, whose
    nodes run without, has none."""

    @classmethod
    def read(cls, file: Path) -> Description | None:
        """What was written; None when nothing was, or when a power loss has emptied the file."""
        try:
            return cls(**json.loads(file.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def write(self, file: Path) -> None:
        """Write it down, so that no half of it is ever read."""
        making = file.with_suffix(".making")
        making.write_text(json.dumps(asdict(self), indent=1))
        making.rename(file)
