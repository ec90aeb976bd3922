"""A new problem to start from: a working one under another name, and what to do next."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from faultyard.clusters.errors import UnknownName, WrongFolder
from faultyard.trials.problems import ProblemFolder

HEAD = """\
# Begun as a copy of {like}: it works, and is yours to change, in this order.
# 1. faults, parameters: what is broken, and what a seed draws
# 2. checks: pass before the fault and see it; ground_truth: what a right diagnosis says
# 3. boundary: what may be changed; controls: do nothing, repair rightly, repair wrongly
# 4. title, alert, difficulty: the alert says what users say, and no cause
# docs/problems.md says what each is.
#   faultyard show {place} --answer --seed 2
#   faultyard lint {place}
#   faultyard validate {place} --seeds 3
"""
NAME = re.compile(r"^name: .*$", re.MULTILINE)
TITLE = re.compile(r"^title: .*$", re.MULTILINE)
EDITORS = "# yaml-language-server"


def scaffold(name: str, like: ProblemFolder, root: Path, title: str | None) -> Path:
    """Make a problem's folder.

    Args:
        name: application/name.
        like: the problem to begin with.
        root: the folder in which problems lie.
        title: what is wrong, a sentence; None: as in the other.

    Returns:
        The folder.

    Raises:
        UnknownName: the name is none, or is of another application.
        WrongFolder: it is taken.
    """
    if not re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", name):
        raise UnknownName(
            f"{name!r} is no problem's name: application/name, small letters and dashes"
        )
    if name.partition("/")[0] != like.problem.name.partition("/")[0]:
        raise UnknownName(f"{name} is of another application than {like.problem.name}; see --like")
    folder = root / name
    if folder.exists():
        raise WrongFolder(f"{folder} is there already")
    shutil.copytree(like.folder, folder)
    file = folder / "problem.yaml"
    file.write_text(_renamed(file, name, like, title), "utf-8")
    return folder


def _renamed(file: Path, name: str, like: ProblemFolder, title: str | None) -> str:
    text = NAME.sub(f"name: {name}", file.read_text(encoding="utf-8"), count=1)
    if title is not None:
        text = TITLE.sub(lambda _: f"title: {_quoted(title)}", text, count=1)
    head = HEAD.format(place=file.parent, like=like.problem.name)
    first, newline, rest = text.partition("\n")
    if first.startswith(EDITORS):
        return f"{first}{newline}{head}{rest}"
    return head + text


def _quoted(text: str) -> str:
    """Text as YAML takes it, whatever is in it."""
    return "'" + text.replace("'", "''").replace("\n", " ") + "'"
