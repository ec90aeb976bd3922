"""Pieces of set-up, each a program that stops itself before one of its acts:

setups.py KIND FOLDER COUNT
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.programs import run
from faultyard.clusters.embedded.pool import Pool
from live.stepped import ACTS, Stepper

SOURCES = Path(__file__).parents[2] / "src"


def tool() -> Artifact:
    """Something fetched by one program and unpacked by another."""

    def build(build: Build) -> None:
        run(["cp", "/etc/passwd", build.scratch / "fetched"], build.log)
        run(["cp", build.scratch / "fetched", build.target / "whole"], build.log)

    return Artifact("tool", "a tool", {"version": "1"}, build)


def artifact(folder: Path) -> None:
    """Into the cache: built, and moved into its place."""
    Cache(folder).obtain(tool())


def image(folder: Path) -> None:
    """The pool's image: made, moved into its place, mounted."""
    Pool(folder).open()


def template(folder: Path) -> None:
    """Into the pool: copied, and moved into its place."""
    Pool(folder).golden("node", "k1", folder / "source")


KINDS: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {"artifact": artifact, "image": image, "template": template}
)


def killed(kind: str, folder: Path) -> Iterator[int]:
    """Run it again and again, killed before its first act, its second, and so on.

    It ends when one run has come to its end; what that did is to be undone by the caller.

    Args:
        kind: one of `KINDS`.
        folder: the one that it works in.

    Yields:
        How many acts it had done when it was killed.
    """
    paths = os.pathsep.join([str(SOURCES), str(Path(__file__).parents[1])])
    count = 0
    while True:
        argv = [sys.executable, __file__, kind, str(folder), str(count)]
        with subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": paths}) as program:
            os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            program.send_signal(signal.SIGKILL)
        if program.returncode != -signal.SIGKILL:
            if program.returncode != 0:
                raise AssertionError(f"it failed by itself after {count} acts")
            return
        yield count
        count += 1


def main() -> None:
    """Run the program."""
    kind, folder, count = sys.argv[1:]
    sys.addaudithook(Stepper(Path(os.devnull), "", ACTS, int(count)).hook)
    KINDS[kind](Path(folder))


if __name__ == "__main__":
    main()
