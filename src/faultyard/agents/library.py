"""The MCP client's Python packages, copied to where a program in the sandbox may see them.

They come from the environment that the harness itself runs in. A mount of it would tell its path.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

from faultyard.agents.errors import UsageError

CLIENT = "mcp"
PYTHON = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
"""The same Python as ours, as the sandbox sees it: compiled parts fit no other."""
LEFT_OUT = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Of a package's description: what says where it was installed from."""
NAME = re.compile(r"[A-Za-z0-9._-]+")
EXTRAS = re.compile(r"\[([^\]]+)\]")
ONLY_WITH = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def copy(target: Path) -> None:
    """Copy the client and all that it needs into a folder.

    Compiled Python is left out, as it holds the path at which it was compiled.

    Raises:
        UsageError: the sandbox's Python is not the one for which they were installed.
    """
    if Path(sys.base_prefix) != Path("/usr"):
        raise UsageError(
            f"this agent needs the system's own Python in the sandbox ({PYTHON}), and the harness "
            f"runs with the one in {sys.base_prefix}; install Debian's python3 and run set-up again"
        )
    for distribution in needed(CLIENT):
        for file in distribution.files or ():
            if file.suffix == ".pyc" or ".." in file.parts or file.name in LEFT_OUT:
                continue
            place = target / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(distribution.locate_file(file)), place)


def needed(name: str) -> list[Distribution]:
    """A package and all that it needs, as far as it is installed here."""
    found: dict[str, Distribution] = {}
    wanted = [(name, frozenset[str]())]
    done = set()
    while wanted:
        one = wanted.pop()
        if one in done:
            continue
        done.add(one)
        try:
            distribution = importlib.metadata.distribution(one[0])
        except PackageNotFoundError:  # needed on other systems or Pythons only
            continue
        found[distribution.metadata["Name"]] = distribution
        wanted += _requirements(distribution, one[1])
    return list(found.values())


def _requirements(
    distribution: Distribution, extras: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    for line in distribution.requires or ():
        requirement, _, marker = line.partition(";")
        asked = ONLY_WITH.search(marker)
        if asked is not None and asked[1] not in extras:
            continue
        name = NAME.match(requirement.strip())
        if name is not None:
            more = EXTRAS.search(requirement)
            listed = more[1].split(",") if more else []
            yield name[0], frozenset(each.strip() for each in listed)
