"""Running the programs that build: contained, logged, and never outliving set-up."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from faultyard.clusters.embedded.artifacts.errors import ArtifactError, BuildFailed
from faultyard.clusters.embedded.pool_mounts import DROP_POOLS

# The program and all it starts live in a process namespace that the kernel ends with us, however
# we end: a build that was killed must not go on writing beside the next one.
CONTAINED = [
    *"setpriv --pdeathsig KILL unshare --pid --fork --kill-child --mount-proc --mount --".split(),
    *("sh", "-ec", f'{DROP_POOLS}; exec "$@"', "sh"),
]
SHOWN_ARGUMENTS = 4


def run(
    argv: Sequence[str | Path],
    log: Path,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin_text: str = "",
) -> None:
    """Run a program to its end; its output goes to the log.

    Args:
        argv: program and arguments.
        log: appended to.
        cwd: the folder to run in; the current one when None.
        env: added to this process's environment.
        stdin_text: what it reads.

    Raises:
        BuildFailed: it exited with another code than 0.
        ArtifactError: there is no such program.
    """
    words = [str(word) for word in argv]
    with log.open("ab") as sink:
        start = sink.tell()
        try:
            done = subprocess.run(
                [*CONTAINED, *words],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                input=stdin_text.encode(),
                stdout=sink,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except FileNotFoundError as error:
            message = f"{error.filename} is missing: install the package util-linux"
            raise ArtifactError(message) from error
    if done.returncode != 0:
        raise BuildFailed(_shown(words), done.returncode, log, _output_since(log, start))


def output_of(
    argv: Sequence[str | Path], log: Path, *, env: Mapping[str, str] | None = None
) -> str:
    """What a short program prints on standard output; its errors go to the log.

    Raises:
        BuildFailed: it exited with another code than 0.
    """
    words = [str(word) for word in argv]
    done = subprocess.run(
        words, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    with log.open("a") as sink:
        sink.write(done.stderr)
    if done.returncode != 0:
        raise BuildFailed(_shown(words), done.returncode, log, done.stderr)
    return done.stdout


def _shown(words: Sequence[str]) -> str:
    more = " …" if len(words) > SHOWN_ARGUMENTS else ""
    return " ".join(words[:SHOWN_ARGUMENTS]) + more


def _output_since(log: Path, start: int) -> str:
    with log.open("rb") as source:
        source.seek(start)
        return source.read().decode(errors="replace")
