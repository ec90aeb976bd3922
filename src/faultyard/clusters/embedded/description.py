"""What is kept about a cell on disk."""

from __future__ import annotations

from dataclasses import dataclass


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
    confine: str = ""
    """The program that filters what is started on its nodes; a cell of an older version, whose
    nodes run without, has none."""
