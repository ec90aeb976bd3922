"""The pool: one file system of bounded size that holds node roots, volumes and etcd.

On btrfs a clone is a snapshot and deleting it one call; without btrfs (or without loop devices)
the pool is a plain folder and a clone a copy. Everything above works on folders alone.

It holds nothing that could not be made again. So one that a power loss cut off, or that a full disk
has made read-only, is not mended but thrown away.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path

from faultyard.clusters.embedded import room, trees
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.errors import ClusterError, Refused
from faultyard.clusters.waiting import wait_for

SIZE_GIB = 24
UNMOUNT_S = 20
BOOT = Path("/proc/sys/kernel/random/boot_id")

MOUNT = """
mount --bind "$1" "$2"
exec 3<> "$2/$3"
exec nsenter --mount="/proc/$4/ns/mnt" -- \\
    mount --no-canonicalize -o loop,noatime,compress=no /proc/self/fd/3 "$2"
"""
"""Mounts an image that is opened through a mount which then ends.

Of the way to it the kernel then shows the image's name alone; nodes can read that.
"""


class Pool:
    """The storage under all cells of one state folder.

    Args:
        state: the state folder.
    """

    def __init__(self, state: Path) -> None:
        self.state = state
        self.root = state / "pool"
        self.image = state / "pool.img"
        self._boot = state / "pool.boot"
        """There while it is in use: in which run of the machine."""

    @property
    def mounted(self) -> bool:
        """Whether the loop image is mounted."""
        return os.path.ismount(self.root)

    @property
    def templates(self) -> Path:
        """Where templates of whole cells lie."""
        return self.root / "templates"

    @property
    def on_btrfs(self) -> bool:
        """Whether clones are snapshots here."""
        return self.mounted

    def open(self) -> None:
        """Make the pool usable; mounts the image, and makes it first where there is none.

        Raises:
            Refused: there is too little room, or it has become read-only.
        """
        with self.lock():
            self._drop_a_cut_off_one()
            if room.read_only(self.root):
                raise Refused(room.shortage(self.state))
            room.check(self.state, room.LEAST_LEFT_GIB)
            self.root.mkdir(parents=True, exist_ok=True)
            if not self.mounted and btrfs_available():
                if not self.image.exists():
                    self._make_image()
                self._mount()
            room.check(self.root, room.LEAST_LEFT_GIB)
            self._boot.write_text(BOOT.read_text())

    def reopen(self) -> None:
        """Make what there is of it usable, for deleting; what cannot be mounted is thrown away."""
        with self.lock():
            self._drop_a_cut_off_one()
            if self.image.exists() and not self.mounted:
                try:
                    self._mount()
                except ClusterError:
                    self._discard()

    def _mount(self) -> None:
        self.root.mkdir(exist_ok=True)
        # Before it is mounted: from now on a power loss cuts it off.
        self._boot.write_text(BOOT.read_text())
        words = (self.state, self.root, self.image.name, os.getpid())
        enter = ["unshare", "--mount", "--propagation=private", "sh", "-ec", MOUNT, "sh"]
        run([*enter, *map(str, words)])

    def _drop_a_cut_off_one(self) -> None:
        """Throw away what was in use when the machine stopped: files in it may be empty."""
        if self._boot.exists() and self._boot.read_text() != BOOT.read_text():
            self._discard()

    def _discard(self) -> None:
        if self.root.exists() and not self.mounted:
            shutil.rmtree(self.root)
        for file in (self.image, self.image.with_suffix(".making"), self._boot):
            file.unlink(missing_ok=True)

    def _make_image(self) -> None:
        free_gib = room.check(self.state)
        making = self.image.with_suffix(".making")
        with making.open("wb") as file:
            file.truncate(int(min(SIZE_GIB, free_gib - 2) * 2**30))
        run(["mkfs.btrfs", "-q", "-f", "-m", "single", "-d", "single", str(making)])
        making.rename(self.image)

    def golden(self, name: str, key: str, source: Path) -> Path:
        """A folder of the cache as a template in the pool, copied once.

        Args:
            name: what it is ("node", "registry").
            key: hash of its inputs; a new key replaces the old template.
            source: the folder to copy.
        """
        target = self.root / "golden" / f"{name}-{key}"
        with self.lock():
            if target.exists():
                return target
            target.parent.mkdir(exist_ok=True)
            for old in target.parent.glob(f"{name}-*"):
                self.delete(old)
            making = target.parent / f".making-{name}"
            self.delete(making)
            self._folder(making)
            run(["cp", "-a", "--reflink=auto", f"{source}/.", str(making)], timeout_s=300)
            making.rename(target)
        return target

    def _folder(self, path: Path) -> None:
        if self.on_btrfs:
            run(["btrfs", "-q", "subvolume", "create", str(path)])
        else:
            path.mkdir()

    def clone(self, source: Path, target: Path) -> None:
        """A writable copy of a folder of the pool."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.on_btrfs:
            run(["btrfs", "-q", "subvolume", "snapshot", str(source), str(target)])
        else:
            run(["cp", "-a", str(source), str(target)], timeout_s=300)

    def create(self, target: Path) -> None:
        """An empty folder of the pool that can be cloned."""
        target.parent.mkdir(parents=True, exist_ok=True)
        self._folder(target)

    def freeze(self, path: Path) -> None:
        """Let nobody write to a folder of the pool from now on; its clones are writable."""
        if self.on_btrfs:
            run(["btrfs", "property", "set", "-ts", str(path), "ro", "true"])

    def delete(self, path: Path) -> None:
        """Delete a file or folder of the pool with all subvolumes in it; none is no error.

        Systemd makes subvolumes of its own below /var/lib on btrfs, so a node's root has nested
        ones, which must go first.
        """
        if not path.is_dir():
            path.unlink(missing_ok=True)
            return
        if not self.on_btrfs:
            shutil.rmtree(path)
            return
        nested = [p for p in self._subvolumes() if p == path or path in p.parents]
        for subvolume in sorted(nested, key=lambda p: len(p.parts), reverse=True):
            run(["btrfs", "-q", "subvolume", "delete", str(subvolume)])
        if path.exists():
            shutil.rmtree(path)

    def clear(self, folder: Path) -> None:
        """Delete a cell's folder of the pool.

        In storage that is read-only by now it stays: that goes as a whole when the last cell ends.
        """
        try:
            for part in sorted(folder.glob("*")):
                self.delete(part)
            trees.delete(folder)
        except (ClusterError, OSError):
            if not room.read_only(self.root):
                raise

    def _subvolumes(self) -> list[Path]:
        listing = run(["btrfs", "subvolume", "list", str(self.root)]).stdout
        return [self.root / line.split(" path ", 1)[1] for line in listing.splitlines()]

    def close(self) -> None:
        """Unmount; the image and its templates stay for the next time, unless it is damaged."""
        damaged = room.read_only(self.root)

        def look() -> tuple[bool | None, str]:
            if not self.mounted:
                return True, ""
            done = run(["umount", str(self.root)], check=False)
            return (True if done.returncode == 0 else None), done.stderr.strip()

        wait_for("the pool to be unmounted", look, timeout_s=UNMOUNT_S, every_s=0.2)
        if damaged:
            self._discard()
        elif self._boot.exists():
            if not self.image.exists():
                run(["sync", "--file-system", str(self.root)])
            self._boot.unlink()

    def remove(self) -> None:
        """Unmount and delete everything, templates too."""
        self.close()
        self._discard()

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """Keep it mounted meanwhile, also while there is no cell; it need not be open yet."""
        with self._use.open("w") as file:
            flock(file, LOCK_SH)
            yield

    def close_if_unused(self) -> None:
        """Unmount it, unless somebody uses it at this moment."""
        with self._use.open("w") as file:
            try:
                flock(file, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                return
            self.close()

    @property
    def _use(self) -> Path:
        return self.state / ".lock-use"

    @contextlib.contextmanager
    def lock(self, what: str = "") -> Iterator[None]:
        """One process at a time makes the same: by default, images and golden folders.

        Args:
            what: the name of a template, whose making uses all else.
        """
        with (self.state / f".lock{what and '-'}{what}").open("w") as file:
            flock(file, LOCK_EX)
            yield


def btrfs_available() -> bool:
    """Whether this kernel can mount a btrfs loop image; loads the module where it is one."""
    if not Path("/dev/loop-control").exists() or shutil.which("mkfs.btrfs") is None:
        return False
    filesystems = Path("/proc/filesystems")
    if "btrfs" not in filesystems.read_text() and shutil.which("modprobe"):
        with contextlib.suppress(ClusterError):  # a kernel without the module: plain folders
            run(["modprobe", "btrfs"])
    return "btrfs" in filesystems.read_text()
