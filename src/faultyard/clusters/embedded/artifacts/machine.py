"""The machine: whether set-up can run on it at all, and the Debian packages it needs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from faultyard.clusters.embedded.artifacts.errors import (
    BuildFailed,
    MissingPackage,
    NotRoot,
    UnsuitableMachine,
)
from faultyard.clusters.embedded.artifacts.programs import run

PROGRAMS = {
    "btrfs": "btrfs-progs",
    "mkfs.btrfs": "btrfs-progs",
    "bwrap": "bubblewrap",
    "curl": "curl",
    "ip": "iproute2",
    "jq": "jq",
    "mmdebstrap": "mmdebstrap",
    "mount": "mount",
    "nft": "nftables",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "openssl": "openssl",
    "ps": "procps",
    "sysctl": "procps",
    "skopeo": "skopeo",
    "systemd-nspawn": "systemd-container",
    "tini": "tini",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "unshare": "util-linux",
}
"""What is run on the host, and the Debian package that has it."""
PACKAGES = sorted({*PROGRAMS.values(), "debian-archive-keyring"})
BROWSER = "chromium"
"""A package, and the program in it. Tests look at reports with it; nothing else needs it."""
LEAST_FREE_BYTES = 15_000_000_000
OS_RELEASE = Path("/etc/os-release")
LISTS = Path("/var/lib/apt/lists")


def check(system: str, processor: str, user_id: int, release: Mapping[str, str]) -> str:
    """Check that set-up can run here; returns a warning, or nothing.

    Args:
        system: as `uname -s` says.
        processor: as `uname -m` says.
        user_id: of this process.
        release: the content of /etc/os-release.

    Raises:
        UnsuitableMachine: it is not a 64-bit PC of the Debian family.
        NotRoot: the user is not root.
    """
    if system != "Linux":
        raise UnsuitableMachine(
            f"clusters need Linux, and this is {system}. Use a disposable Debian 12 machine."
        )
    if processor != "x86_64":
        raise UnsuitableMachine(
            f"this machine's processor is {processor}; only x86_64 is supported."
        )
    name = release.get("PRETTY_NAME", "an unknown system")
    family = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    if "debian" not in family:
        raise UnsuitableMachine(
            f"set-up installs Debian packages, and this is {name}. Use Debian 12."
        )
    if user_id != 0:
        raise NotRoot(
            "set-up installs packages and builds root file systems (use a disposable machine)"
        )
    return "" if release.get("ID") == "debian" else f"{name} is not checked; Debian 12 is."


def check_this() -> str:
    """`check` for the machine that this runs on."""
    release = platform.freedesktop_os_release() if OS_RELEASE.exists() else {}
    return check(platform.system(), platform.machine(), os.geteuid(), release)


def check_disk(cache: Path) -> None:
    """Check that a whole set-up fits on the disk.

    Raises:
        UnsuitableMachine: less than 15 GB are free.
    """
    free = shutil.disk_usage(cache).free
    if free < LEAST_FREE_BYTES:
        raise UnsuitableMachine(
            f"{free / 1e9:.1f} GB are free under {cache}, and set-up needs "
            f"{LEAST_FREE_BYTES / 1e9:.0f}. Free some space, or point FAULTYARD_CACHE "
            "to a larger disk."
        )


def missing_packages(names: Sequence[str] = PACKAGES) -> list[str]:
    """Those of the Debian packages that are not installed."""
    argv = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *names]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    installed = {
        line.split()[0] for line in done.stdout.splitlines() if line.endswith(" installed")
    }
    return [name for name in names if name not in installed]


def has_browser() -> bool:
    """Whether there is a browser for the tests, wherever it comes from."""
    return shutil.which(BROWSER) is not None


def install(names: Sequence[str], log: Path) -> None:
    """Install Debian packages, refreshing the package lists first.

    Raises:
        MissingPackage: the archive does not offer one of them.
        BuildFailed: apt failed for another reason.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    environment = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    get = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300"]
    refresh_lists(log)
    try:
        run([*get, "--no-install-recommends", "install", *names], log, env=environment)
    except BuildFailed as error:
        unknown = not_offered(log.read_text(errors="replace"))
        if unknown:
            raise MissingPackage(
                f"apt does not find {', '.join(unknown)}. Check /etc/apt/sources.list (Debian's "
                f"`main` must be in it), run `apt-get update`, then set-up again. Log: {log}"
            ) from error
        raise


def refresh_lists(log: Path) -> None:
    """Refresh apt's package lists.

    An archive that does not answer is no error here: a machine may have archives of others, which
    set-up does not need. What is really missing shows when it is installed.
    """
    argv = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "update"]
    with log.open("ab") as sink:
        subprocess.run(
            argv, stdout=sink, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False
        )


def lists_are_empty() -> bool:
    """Whether apt knows no package at all, as in a fresh container."""
    return not any(LISTS.glob("*_InRelease")) and not any(LISTS.glob("*_Packages*"))


def not_offered(output: str) -> list[str]:
    """The packages that apt said it does not have."""
    said = r"Unable to locate package (\S+)|Package '?(\S+?)'? has no installation candidate"
    return sorted({first or second for first, second in re.findall(said, output)})
