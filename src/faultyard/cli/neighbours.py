"""Other cells of this machine: what they take of it may decide a trial that depends on timing."""

from __future__ import annotations

import click

from faultyard.clusters.embedded import cells


class Neighbours:
    """Warns of the cells that run, and again once there are others."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def warn(self) -> None:
        """Say in a line on standard error which cells run; nothing if it was said, or none does."""
        there = cells.running()
        if there and there != self._told:
            click.echo(warning(there), err=True)
        self._told = there


def warning(names: list[str]) -> str:
    """What to know of cells that run beside a trial."""
    other = "another cell runs" if len(names) == 1 else "other cells run"
    return (
        f"warning: {other} on this machine: {', '.join(names)}. Verdicts depend on timing: beside"
        " other work a trial may fail, or end without a result, that alone would not"
    )
