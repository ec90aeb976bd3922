"""Programs of this machine's PATH that could stand in for those that set-up would build."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

from faultyard.clusters.embedded.artifacts.releases import Packed, Release

ANSWER_S = 5.0
"""How long a program may take to tell its version, in seconds."""
PT_INTERP = 3
"""The entry of an ELF file that names a dynamic loader."""


def find(release: Release) -> Mapping[str, Path]:
    """All programs of a release on the PATH, by name; nothing unless every one is there and fits.

    A program fits if it tells exactly the version that is needed, and is linked statically: it has
    to run on nodes and in images that have other libraries than this machine, or none.
    """
    found: dict[str, Path] = {}
    for name, program in release.programs.items():
        where = shutil.which(program.command)
        if where is None or not is_static(Path(where)):
            return {}
        if not program.tells(_version(where, program), release.version):
            return {}
        found[name] = Path(where).resolve()
    return found


def is_static(file: Path) -> bool:
    """Whether a file is a 64-bit program that needs no dynamic loader."""
    with file.open("rb") as source:
        head = source.read(64)
        if len(head) < 64 or head[:5] != b"\x7fELF\x02":
            return False
        (offset,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        source.seek(offset)
        entries = source.read(size * count)
    kinds = (struct.unpack_from("<I", entries, at)[0] for at in range(0, len(entries), size))
    return PT_INTERP not in kinds


def _version(command: str, program: Packed) -> str:
    try:
        done = subprocess.run(
            [command, *program.asked],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=ANSWER_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        # Whatever it is, it is not the program that is looked for.
        return ""
    return done.stdout
