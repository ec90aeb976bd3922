"""What is known and let be, each with its reason; an entry that fits nothing is a complaint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from faultyard.apps.applications import ROOT
from faultyard.campaigns.lint.rule import Complaint, shown
from faultyard.model import yaml_text
from faultyard.model.problem import Reason
from faultyard.model.strict import Strict

FILE = ROOT / "docs" / "lint-ignores.yaml"
UNUSED = "ignore-unused"
Text = Annotated[str, StringConstraints(min_length=1)]


class Ignore(Strict):
    """Complaints of one rule that are let be."""

    rule: Text
    place: Text
    """How the complaint's place begins: a file, or a folder."""
    says: str = ""
    """What its message has in it; empty: whatever it says."""
    reason: Reason

    def fits(self, complaint: Complaint) -> bool:
        """Whether it is about this complaint."""
        there = complaint.place.startswith(self.place)
        return there and complaint.rule == self.rule and self.says in complaint.message


class Ignores(Strict):
    """Content of the file."""

    ignores: list[Ignore] = Field(default_factory=list)


def read(file: Path = FILE) -> list[Ignore]:
    """The entries; no file is none.

    Raises:
        DescriptionError: the file is not as it should be; with its line.
    """
    if not file.exists():
        return []
    document = yaml_text.read(file.read_text(encoding="utf-8"), str(file))
    return yaml_text.validate(document, Ignores).ignores


def unused(
    ignores: Sequence[Ignore], complaints: Sequence[Complaint], file: Path = FILE
) -> Iterable[Complaint]:
    """Complain of entries that fit nothing any more."""
    for ignore in ignores:
        if not any(ignore.fits(complaint) for complaint in complaints):
            message = f"{ignore.rule} in {ignore.place} has nothing to ignore any more"
            yield Complaint(UNUSED, shown(file), message, "Remove the entry.")
