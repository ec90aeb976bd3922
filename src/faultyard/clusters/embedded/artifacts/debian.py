"""Debian root file systems and packages, the same release on every host.

Packages come from where this machine's own apt gets them, so that a mirror or proxy set up here is
used; nothing of that stays in what is built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from faultyard.clusters.embedded.artifacts.programs import run

SUITE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHIVES = (
    ("http://deb.debian.org/debian", SUITE),
    ("http://deb.debian.org/debian", f"{SUITE}-updates"),
    ("http://deb.debian.org/debian-security", f"{SUITE}-security"),
)
EPOCH = "1788220800"
"""2026-09-01: the time of every file that a build, and not a package, has made."""
UNWANTED = ("doc", "info", "lintian", "locale", "man")
"""Folders of /usr/share that no machine or image here needs."""
TAKEN_SETTINGS = ("Acquire::http::", "Acquire::https::", "Acquire::Check-", "Acquire::Retries")
"""Settings of this machine's apt that reaching its archives may depend on."""
WORDS = os.environ | {"LC_ALL": "C"}


def bootstrap(root: Path, variant: str, packages: Sequence[str], log: Path) -> None:
    """Install a Debian into an empty folder.

    Args:
        root: the folder; made.
        variant: mmdebstrap's: "minbase" has apt.
        packages: installed beside the variant's.
        log: where the installer writes.
    """
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in UNWANTED]
    settings = [f"--aptopt={line}" for line in apt_settings()]
    included = [f"--include={','.join(packages)}"] if packages else []
    argv = ["mmdebstrap", "--mode=root", "--format=directory", f"--variant={variant}"]
    run(
        [*argv, *excluded, *settings, *included, SUITE, root, "-"],
        log,
        env={"SOURCE_DATE_EPOCH": EPOCH},
        stdin_text="\n".join(sources()) + "\n",
    )
    scrub(root)


def scrub(root: Path) -> None:
    """Remove what tells where and when a root file system was made."""
    etc = root / "etc"
    for file in ("apt/apt.conf.d/99mmdebstrap", "dpkg/dpkg.cfg.d/99mmdebstrap", "hostname"):
        (etc / file).unlink(missing_ok=True)
    for file in ("resolv.conf", "machine-id"):
        (etc / file).unlink(missing_ok=True)
        (etc / file).touch()
    (root / "var/lib/dbus/machine-id").unlink(missing_ok=True)
    for key in (etc / "ssh").glob("ssh_host_*"):
        key.unlink()
    for folder in ("var/lib/apt/lists", "var/cache/apt", "var/cache/debconf", "var/cache/ldconfig"):
        _empty(root / folder)
    for folder in ("dev", "run", "tmp"):
        _empty(root / folder)
    for log in ("alternatives.log", "bootstrap.log", "dpkg.log"):
        (root / "var/log" / log).unlink(missing_ok=True)
    shutil.rmtree(root / "var/log/apt", ignore_errors=True)
    lines = "".join(f"deb {address} {suite} main\n" for address, suite in ARCHIVES)
    (etc / "apt/sources.list").write_text(lines)


def unpack(packages: Sequence[str], status: Path, root: Path, scratch: Path, log: Path) -> None:
    """Unpack packages, with those they depend on, beside a root file system that has some already.

    No maintainer script runs.

    Args:
        packages: their names.
        status: dpkg's list of what the root file system below has.
        root: where to unpack to; a folder.
        scratch: an empty folder.
        log: where apt writes.
    """
    environment = {"APT_CONFIG": str(_private_apt(scratch, status)), "LC_ALL": "C"}
    run(["apt-get", "-q", "update"], log, env=environment)
    get = ["apt-get", "-q", "-y", "--no-install-recommends", "--download-only", "install"]
    run([*get, *packages], log, env=environment)
    # Packages may say /lib where the system has a link to /usr/lib: unpacking follows the links.
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    script = 'dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"'
    for package in sorted((scratch / "apt/var/cache/apt/archives").glob("*.deb")):
        run(["bash", "-o", "pipefail", "-c", script, "unpack", package, root], log)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / name).unlink()
    for name in UNWANTED:
        shutil.rmtree(root / "usr/share" / name, ignore_errors=True)


def extract(package: str, programs: Sequence[str], target: Path, scratch: Path, log: Path) -> None:
    """Take programs out of a package, which is not installed: no service of it may start here.

    Args:
        package: its name.
        programs: their paths in it.
        target: the folder to write to.
        scratch: an empty folder.
        log: where apt writes.
    """
    status = scratch / "status"
    status.touch()
    environment = {"APT_CONFIG": str(_private_apt(scratch, status)), "LC_ALL": "C"}
    run(["apt-get", "-q", "update"], log, env=environment)
    run(["apt-get", "-q", "download", package], log, cwd=scratch, env=environment)
    (archive,) = scratch.glob("*.deb")
    unpacked = scratch / "unpacked"
    run(["dpkg-deb", "--extract", archive, unpacked], log)
    for program in programs:
        shutil.copy(unpacked / program, target)


def sources() -> list[str]:
    """Lines for sources.list: this machine's own archives of the release, else Debian's."""
    wanted = {suite for _, suite in ARCHIVES}
    fields = "$(ORIGIN)|$(CODENAME)|$(REPO_URI)"
    argv = ["apt-get", "indextargets", "--format", fields, "Created-By: Packages"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=WORDS)
    own: dict[str, str] = {}
    for line in done.stdout.splitlines():
        origin, codename, address = line.split("|")
        if origin == "Debian" and codename in wanted:
            own.setdefault(codename, address)
    archives = [(own[suite], suite) for suite in sorted(own)] if SUITE in own else ARCHIVES
    return [f"deb [signed-by={KEYRING}] {address} {suite} main" for address, suite in archives]


def apt_settings() -> list[str]:
    """This machine's apt settings on reaching archives, as lines of apt.conf."""
    argv = ["apt-config", "dump", "--no-empty"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env=WORDS)
    return [line for line in done.stdout.splitlines() if line.startswith(TAKEN_SETTINGS)]


def _private_apt(scratch: Path, status: Path) -> Path:
    """An apt of our own, so that neither the host's lists nor its release matter."""
    root = scratch / "apt"
    for folder in (
        "etc/apt/apt.conf.d",
        "etc/apt/preferences.d",
        "var/lib/apt/lists/partial",
        "var/cache/apt/archives/partial",
    ):
        (root / folder).mkdir(parents=True)
    (root / "etc/apt/sources.list").write_text("\n".join(sources()) + "\n")
    lines = [
        f'Dir "{root}";',
        f'Dir::State::status "{status}";',
        'APT::Architecture "amd64";',
        'APT::Architectures { "amd64"; };',
        # The unprivileged user that apt downloads as cannot enter the cache's folders.
        'APT::Sandbox::User "root";',
        'Acquire::Languages "none";',
        *apt_settings(),
    ]
    configuration = scratch / "apt.conf"
    configuration.write_text("\n".join(lines) + "\n")
    return configuration


def _empty(folder: Path) -> None:
    if folder.is_dir():
        subprocess.run(["find", str(folder), "-mindepth", "1", "-delete"], check=True)
