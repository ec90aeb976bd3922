"""The disks of the virtual machine, made on the host, since the machine has no network.

Three: a stock Debian with the packages that set-up installs, the cache with everything that set-up
builds, and the checkout. The first two are kept, named by the hash of their inputs.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from faultyard.clusters.embedded.artifacts import builds, debian, machine, toolchain
from faultyard.clusters.embedded.artifacts.cache import Cache, default_root
from faultyard.clusters.embedded.artifacts.catalogue import REPOSITORY
from faultyard.clusters.embedded.artifacts.errors import UnsuitableMachine
from faultyard.clusters.embedded.artifacts.programs import run

KERNEL_PACKAGE = "linux-image-cloud-amd64"
PACKAGES = (
    *machine.PACKAGES,
    *"dbus initramfs-tools kmod python3 qemu-guest-agent systemd systemd-sysv udev".split(),
    KERNEL_PACKAGE,
)
PYTHON = Path("/usr/bin/python3.11")
"""Of the release; environments made with another one do not run in the machine."""
SYSTEM_GIB = 24
CACHE_GIB = 8
LAYOUT = 1
"""Counted up when disks are made in another way."""


@dataclass(frozen=True)
class Images:
    """Files that a machine starts from; none of them is written to."""

    kernel: Path
    initrd: Path
    system: Path
    cache: Path
    checkout: Path


def make(folder: Path) -> Images:
    """Make what is not there yet.

    Args:
        folder: where the disks are kept; on the file system of the cache.

    Raises:
        ArtifactError: the archive is out of reach, or set-up has not been run, or this is no
            Debian 12.
    """
    folder.mkdir(parents=True, exist_ok=True)
    system = _system(folder)
    cache = _cache(folder)
    checkout = folder / "checkout.tar"
    _pack_checkout(checkout)
    return Images(system / "vmlinuz", system / "initrd.img", system / "disk.img", cache, checkout)


def _key(inputs: object) -> str:
    return hashlib.sha256(json.dumps([LAYOUT, inputs]).encode()).hexdigest()[:16]


def _system(folder: Path) -> Path:
    target = folder / f"system-{_key([debian.SUITE, PACKAGES, SYSTEM_GIB])}"
    if target.is_dir():
        return target
    _discard(folder, ".making")
    making, log = folder / ".making", folder / "system.log"
    root = making / "root"
    making.mkdir()
    _say("the machine's Debian, some minutes")
    debian.bootstrap(root, "important", PACKAGES, log)
    (root / "etc/hostname").write_text("outside\n")
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
    for name in ("vmlinuz", "initrd.img"):
        shutil.copy((root / name).resolve(), making / name)
    _filesystem(making / "disk.img", root, SYSTEM_GIB, log)
    run(["rm", "-rf", "--one-file-system", root], log)
    _discard(folder, "system-*")
    making.rename(target)
    return target


def _cache(folder: Path) -> Path:
    """A disk with this checkout's part of the cache and its Python environment."""
    python = Path(sys.executable).resolve()
    if python != PYTHON:
        raise UnsuitableMachine(
            f"the machine's Python is {PYTHON}, that of this environment {python}: run this on "
            "Debian 12, in a container if need be"
        )
    built = builds.ensure(build=False)
    environment = Path(sys.prefix)
    wanted = [artifact.identity for artifact in built.catalogue.all]
    compiler = toolchain.chosen(Cache(default_root()), builds.least_go())
    target = folder / f"cache-{_key([wanted, environment.name, compiler.version, CACHE_GIB])}.img"
    if target.is_file():
        return target
    _discard(folder, ".staging", ".making.img")
    _say("a disk with what set-up has built")
    staging, making, log = folder / ".staging", folder / ".making.img", folder / "cache.log"
    places = [Path("artifacts") / identity for identity in wanted]
    for place in [*places, Path("venv") / environment.name, Path(toolchain.CHOICE)]:
        (staging / place).parent.mkdir(parents=True, exist_ok=True)
        # Links, as these are gigabytes that are only read.
        run(["cp", "-al", default_root() / place, staging / place], log)
    origins = default_root() / "origins"
    if origins.is_dir():
        run(["cp", "-al", origins, staging / "origins"], log)
    # It has to be there, and is not run.
    shutil.copy(compiler.go, staging / "go")
    _filesystem(making, staging, CACHE_GIB, log)
    run(["rm", "-rf", "--one-file-system", staging], log)
    _discard(folder, "cache-*")
    making.rename(target)
    return target


def _filesystem(image: Path, content: Path, gib: int, log: Path) -> None:
    with image.open("wb") as file:
        file.truncate(gib * 2**30)
    run(["mke2fs", "-q", "-t", "ext4", "-d", content, image], log)


def _pack_checkout(target: Path) -> None:
    """Everything that is under version control or about to be; the machine reads it from a disk."""
    listing = ["git", "-C", REPOSITORY, "ls-files", "-z", "--cached", "--others"]
    files = subprocess.run([*listing, "--exclude-standard"], capture_output=True, check=True).stdout
    there = b"\0".join(
        name for name in files.split(b"\0") if (REPOSITORY / name.decode()).is_file()
    )
    argv = ["tar", "-C", REPOSITORY, "--null", "--files-from=-", "-cf", target]
    subprocess.run(argv, input=there, check=True)


def _discard(folder: Path, *patterns: str) -> None:
    for pattern in patterns:
        for path in folder.glob(pattern):
            subprocess.run(["rm", "-rf", "--one-file-system", path], check=True)


def _say(what: str) -> None:
    click.echo(f"making {what}", err=True)
