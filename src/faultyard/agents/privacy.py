"""What no agent may be shown: folders that tell what was done, how it is judged, or hold keys."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import faultyard
from faultyard.agents.errors import UsageError
from faultyard.clusters.embedded.artifacts import cache

PACKAGE = Path(faultyard.__file__).resolve().parent


def closed(state: Path, private: Iterable[Path] = ()) -> tuple[Path, ...]:
    """The folders that stay closed in a trial.

    Args:
        state: the state folder.
        private: of this trial, beside the cache and the source tree: the problem's, the record's.
    """
    everywhere = (state, cache.default_root(), checkout(PACKAGE))
    return tuple(folder.resolve() for folder in (*everywhere, *private))


def require_showable(sources: Iterable[Path], private: Iterable[Path]) -> None:
    """Demand that all may be shown to an agent.

    Args:
        sources: files and folders of this machine.
        private: what stays closed, resolved.

    Raises:
        UsageError: one is not there, lies in what stays closed, or holds it.
    """
    folders = tuple(private)
    for source in sources:
        real = source.resolve()
        if not real.exists():
            raise UsageError(f"there is no {source} to show to the agent")
        for folder in folders:
            if real == folder or folder in real.parents or real in folder.parents:
                raise UsageError(
                    f"{source} cannot be shown to an agent: {folder} holds problems, records "
                    "or keys. Copy the agent's program to a folder of its own, elsewhere."
                )


def checkout(package: Path) -> Path:
    """The folder of the source tree when the package runs from one, else the package's own."""
    tree = package.parent.parent
    return tree if (tree / "pyproject.toml").exists() else package
