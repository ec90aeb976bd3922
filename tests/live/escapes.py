"""Known ways from root on a machine to the host under it, each harmless where it succeeds."""

from __future__ import annotations

import ctypes
import os
import shlex
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded.commands import run

AT_FDCWD = -100
HANDLE_BYTES = 128
PRELUDE = "mount -t tmpfs tmpfs /mnt; mkdir /mnt/dir; cd /mnt\n"
WAYS: Mapping[str, str] = {
    # Each writes what is there already, and opens without reading.
    "a setting by a fresh procfs": """
        mount -t proc proc dir
        cat dir/sys/kernel/core_pattern > value
        cat value > dir/sys/kernel/core_pattern
    """,
    "a setting of the machine's own /proc": """
        mount -o remount,bind,rw /proc/sys || true
        cat /proc/sys/vm/swappiness > value
        cat value > /proc/sys/vm/swappiness
    """,
    "a character device": "mknod node c 10 237; exec 3< node",
    "the system's console": "mknod node c 5 1; exec 3< node",
    "the pool's disk": "mknod node b $disk; exec 3< node",
    # By its usual name: the kernel shows the pool's mounts with the last one that was used.
    "the pool, mounted by its disk": """
        [ -b /dev/$name ] || { mknod /dev/$name b $disk; trap 'rm /dev/$name' EXIT; }
        mount -t btrfs -o ro /dev/$name dir
    """,
    "a whole file system's settings": "mount -t tmpfs tmpfs dir; mount -o remount,ro dir",
    "the host of a virtual machine": 'perl -e "syscall(41, 40, 1, 0) >= 0 or die"',
    "keys of the host's root": 'perl -e "syscall(250, 0, -4, 1, 0, 0) >= 0 or die"',
}
NEEDED: Mapping[str, str] = {
    "what every program opens": "for f in null zero full random urandom; do : < /dev/$f; done",
    "a network device of its own": "mknod node c 10 200; exec 3<> node",
    "a FUSE volume": "mknod node c 10 229; exec 3<> node",
    "a setting of its network": """
        mount -t proc proc dir
        cat dir/sys/net/ipv4/ip_forward > value
        cat value > dir/sys/net/ipv4/ip_forward
    """,
    "a setting of its IPC": """
        mount -t proc proc dir
        cat dir/sys/kernel/shmmax > value
        cat value > dir/sys/kernel/shmmax
    """,
    "one mount's own settings": "mount --bind dir dir; mount -o remount,bind,ro dir",
}
"""What pods and their runtime do all the time."""


@dataclass(frozen=True)
class Handle:
    """A file by its number, as the kernel gives it out."""

    kind: int
    content: bytes

    @property
    def packed(self) -> str:
        """The kernel's structure, in hexadecimal digits."""
        head = struct.pack("=Ii", len(self.content), self.kind)
        return (head + self.content).hex()


def script(ways: Mapping[str, str], pool: Path | None = None) -> str:
    """A shell script that prints the name of each way that it could go.

    Args:
        ways: name -> script, in a mount namespace of its own.
        pool: the image of the pool that some lead to.
    """
    lines = [_disk_of(pool)] if pool else []
    for name, way in ways.items():
        words = ["unshare", "--mount", "--propagation=private", "sh", "-ec", PRELUDE + way]
        lines.append(f"{shlex.join(words)} > /dev/null 2>&1 && echo {shlex.quote(name)}")
    return "\n".join([*lines, "true"])


def _disk_of(image: Path) -> str:
    found = run(["losetup", "--noheadings", "--output", "NAME,MAJ:MIN", "-j", str(image)]).stdout
    name, number = found.split()
    return f"export name={Path(name).name} disk='{number.replace(':', ' ')}'"


def handles(paths: Iterable[Path]) -> list[Handle]:
    """The numbers of files, by which they could be opened without a way to them."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = []
    for path in paths:
        room = struct.pack("=Ii", HANDLE_BYTES, 0) + bytes(HANDLE_BYTES)
        buffer, number = ctypes.create_string_buffer(room), ctypes.c_int()
        arguments = (AT_FDCWD, os.fsencode(path), buffer, ctypes.byref(number), 0)
        if libc.name_to_handle_at(*arguments) != 0:
            raise OSError(ctypes.get_errno(), str(path))
        length, kind = struct.unpack_from("=Ii", buffer)
        found.append(Handle(kind, buffer.raw[8 : 8 + length]))
    return found


def opening(wanted: Iterable[Handle], place: str) -> str:
    """A Perl program that opens files by number and prints how many it could open.

    Args:
        wanted: the files.
        place: any file or folder of the same file system.
    """
    packed = ", ".join(f'"{handle.packed}"' for handle in wanted)
    return f"""
        open(my $place, "<", "{place}") or die; my $opened = 0;
        for my $hex ({packed}) {{
            my $handle = pack("H*", $hex);
            $opened++ if syscall(304, fileno($place), $handle, 0) >= 0;
        }}
        print $opened;
    """
