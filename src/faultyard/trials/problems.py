"""Problems on disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from faultyard.apps import applications
from faultyard.apps.applications import ApplicationFolder
from faultyard.clusters.errors import UnknownName
from faultyard.model.problem import Problem, load_problem

ROOT = applications.ROOT / "problems"


@dataclass(frozen=True)
class ProblemFolder:
    """A problem, the hash of its folder, and where it lies."""

    folder: Path
    problem: Problem
    hash: str

    @cached_property
    def application(self) -> ApplicationFolder:
        """The application that it is about."""
        return applications.find(self.problem.application)


def find(name: str) -> ProblemFolder:
    """Find a problem by its name, or by the path of its folder.

    Raises:
        UnknownName: there is none.
        DescriptionError: it is described wrongly.
    """
    folder = folder_of(name)
    problem, digest = load_problem(folder)
    return ProblemFolder(folder.resolve(), problem, digest)


def folder_of(name: str) -> Path:
    """The folder of a problem, by its name or by its path.

    Raises:
        UnknownName: there is none.
    """
    for folder in (ROOT / name, Path(name)):
        if (folder / "problem.yaml").is_file():
            return folder
    known = ", ".join(names())
    raise UnknownName(f"no problem {name}; there are: {known}, or give a folder with problem.yaml")


def names() -> list[str]:
    """The names of the problems that come with the tool."""
    return sorted(str(p.parent.relative_to(ROOT)) for p in ROOT.glob("*/*/problem.yaml"))
