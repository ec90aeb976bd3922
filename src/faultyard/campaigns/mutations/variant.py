"""What a variant is: a problem's YAML as data, its scripts, and in what it differs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from faultyard.model import yaml_text
from faultyard.model.problem import parse_problem
from faultyard.trials.problems import ProblemFolder

Document = dict[str, Any]
Sort = Literal["target", "value", "composition"]


@dataclass(frozen=True)
class Variant:
    """A problem made of others."""

    name: str
    sort: Sort
    differs: str
    """In what, a clause."""
    document: Mapping[str, Any]
    scripts: Mapping[str, str]
    """Path in the folder -> text."""

    def write(self, root: Path) -> Path:
        """Write it below a folder of problems; what is there is replaced.

        Raises:
            DescriptionError: it is no problem.
        """
        folder = root / self.name
        for path, text in self.scripts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755)
        text = yaml_text.dump(dict(self.document))
        parse_problem(text, str(folder / "problem.yaml"))
        (folder / "problem.yaml").write_text(text, encoding="utf-8")
        return folder


def document_of(found: ProblemFolder) -> Document:
    """A problem's YAML as data, to be changed."""
    text = (found.folder / "problem.yaml").read_text(encoding="utf-8")
    return dict(yaml_text.load(text))


def scripts_of(found: ProblemFolder) -> dict[str, str]:
    """The texts of its control agents' scripts, by path."""
    paths = [control.script for control in found.problem.controls if control.script]
    return {path: (found.folder / path).read_text(encoding="utf-8") for path in paths}


def variant(
    found: ProblemFolder, sort: Sort, suffix: str, differs: str, parameters: Mapping[str, Any]
) -> Variant:
    """The problem with other parameters.

    Args:
        found: the problem.
        sort: of difference.
        suffix: what its name gets.
        differs: see `Variant`.
        parameters: the new ones, in their order.
    """
    document = copy.deepcopy(document_of(found))
    document["name"] = f"{document['name']}-{suffix}"
    document["parameters"] = dict(parameters)
    return Variant(document["name"], sort, differs, document, scripts_of(found))
