"""Processes that begin with the program loaded, as forks of one that has loaded it.

Loading it takes most of a second, a fork some milliseconds. What is tested is the same: a process
of its own with its own user, mounts, processors, environment, exit code and both outputs.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultyard.cli import main

_PATIENCE_S = 60
_NEWUSER, _NEWNS = 0x10000000, 0x00020000  # sched.h; Python has os.unshare since 3.12

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(sorted({module for module, _ in main.COMMANDS.values()}))


@dataclass(frozen=True)
class Way:
    """How a process is other than this one."""

    nobody: bool = False
    """In a user namespace that knows no root; root's files are still its own."""
    mounts: str = ""
    """A script that changes its mounts, which are its own then."""
    arguments: Sequence[str] = ()
    """Of the script, `$1` first."""
    processors: frozenset[int] = frozenset()
    """The only ones that it may use; none named: all."""
    env: Mapping[str, str] | None = None
    """What it has in its environment beside ours."""

    def enter(self) -> None:
        """Make the calling process such a one."""
        os.environ.update(self.env or {})
        if self.nobody:
            _unshare(_NEWUSER)
        if self.mounts:
            _unshare(_NEWNS)
            subprocess.run(["mount", "--make-rprivate", "/"], check=True)
            subprocess.run(["sh", "-ec", self.mounts, "sh", *self.arguments], check=True)
        if self.processors:
            os.sched_setaffinity(0, self.processors)


OURS = Way()
"""As the test's own process."""


def faultyard(*arguments: str, way: Way = OURS) -> subprocess.CompletedProcess[str]:
    """What `faultyard` with these arguments says, and its exit code."""
    return call(_command, list(arguments), way=way)


def call(
    function: Callable[[Any], object], argument: object, way: Way
) -> subprocess.CompletedProcess[str]:
    """What a function of a module prints in a process of its own, and how that ends.

    Raises:
        subprocess.TimeoutExpired: it did not end within a minute.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = FORKS.Process(target=_run, args=(function, argument, way, out, err))
        process.start()
        process.join(_PATIENCE_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(str(argument), _PATIENCE_S)
        return subprocess.CompletedProcess(
            argument, process.exitcode, out.read_text(), err.read_text()
        )


def _run(function: Callable[[Any], object], argument: object, way: Way, *files: Path) -> None:
    for number, file in enumerate(files, 1):
        with file.open("wb") as stream:
            os.dup2(stream.fileno(), number)
    way.enter()
    function(argument)


def _command(arguments: list[str]) -> None:
    sys.argv = ["faultyard", *arguments]
    main.main()


def _unshare(flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
