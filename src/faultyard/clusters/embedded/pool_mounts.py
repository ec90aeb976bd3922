"""Mounts of pools in new mount namespaces, which begin with a copy of all the host's mounts.

As long as one of them holds a copy, a pool that is unmounted keeps its loop device and its image.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

_LOOPS: Final = r"awk '/ - btrfs \/dev\/loop/ {print $5}' /proc/self/mountinfo"

DROP_POOLS: Final = (
    f'{_LOOPS} | while read -r place; do [ ! -e "$place.img" ] || umount -l "$place"; done'
)
"""Drops what has its image beside it, as pools have: for programs that may need other file systems
of the host."""


def drop_all_but(own: Path) -> str:
    """A script that drops every file system in an image: for who has business with its own alone.

    Args:
        own: where that is mounted.
    """
    kept = f'[ "$place" = {shlex.quote(str(own))} ]'
    return f'{_LOOPS} | while read -r place; do {kept} || umount -l "$place"; done'
