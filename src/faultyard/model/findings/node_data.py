"""Where volumes lie on nodes, and which commands name them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from faultyard.model.case import Case
from faultyard.model.commands import program_of
from faultyard.model.commands.shells import NAMES as SHELLS
from faultyard.model.commands.words import line
from faultyard.model.sessions import Command
from faultyard.model.shapes import mapping

_OF_MANY: Final = frozenset({"/usr/local", "/var/lib", "/var/local", "/var/opt"})
"""Folders that hold other things as well, though two volumes may lie there."""
_ALL_OF_IT: Final = r"(?:/+\.?)*(?=$|[\s'\";&|)])|/[^\s'\"]*[*?\[{]"
_SHALLOW: Final = frozenset({"mkdir", "rmdir", "touch"})
_BY_OPTION: Final = frozenset({"chmod", "chown", "chgrp"})
_OF_FILES: Final = frozenset("chgrp chmod chown cp ln mv rm rsync scp tar zip".split())
_LOOKING: Final = re.compile(r"\b(?:ls|du|df|find|stat|tree)\s[^;|&\n]*")
"""Of a shell's text: what only tells what is there. What `find` starts has lines of its own."""
_DISTINCT: Final = 10
"""Letters of a name that is nothing else's by chance, though its folder is not named with it."""


@dataclass(frozen=True)
class Places:
    """Folders on nodes."""

    volumes: frozenset[str]
    holders: frozenset[str]
    """Those in which volumes lie, and nothing else."""

    @property
    def names(self) -> set[str]:
        """Return the last parts of all of them, as far as they tell what is meant."""
        found = {place.rpartition("/")[2] for place in self.volumes | self.holders}
        return {name for name in found if len(name) >= _DISTINCT}


def of(case: Case) -> Places:
    """Return the folders on nodes in which volumes have their data."""
    found = set()
    for shot in case.record.snapshots.values():
        for raw in shot.of_kind("PersistentVolume", "").values():
            spec = mapping(raw.get("spec"))
            for source in ("hostPath", "local"):
                path = str(mapping(spec.get(source)).get("path") or "").rstrip("/")
                if path.count("/") > 1:
                    found.add(path)
    above = Counter(path.rpartition("/")[0] for path in found)
    holders = {path for path, count in above.items() if count > 1 and path.count("/") > 1}
    return Places(frozenset(found), frozenset(holders - _OF_MANY))


def named(command: Command, places: Places) -> bool:
    """Tell whether a command names the data of volumes, alone or with the folder they lie in."""
    words = command.process.argv
    if any(place in word for place in places.volumes for word in words):
        return True
    name, arguments = program_of(command.process.exe, words)
    if name in _SHALLOW or (name in _BY_OPTION and not line(arguments).has("-R", "--recursive")):
        return False
    whole = [re.compile(f"{re.escape(place)}(?:{_ALL_OF_IT})") for place in places.holders]
    told = [_LOOKING.sub("", word) for word in words] if name in SHELLS else words
    if any(found.search(word) for found in whole for word in told):
        return True
    parts = {word.removeprefix("./").partition("/")[0] for word in arguments}
    return name in _OF_FILES and bool(parts & places.names)
