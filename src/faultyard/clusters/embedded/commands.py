"""Running the host's programs, with errors that show what they said."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from faultyard.clusters.embedded.artifacts import NotRoot
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.patience import stretched

WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")
"""A program that outlives a killed harness would hold on to what `down` has to remove."""
NOT_FOUND = 127


def require_root() -> None:
    """Refuse to go on as anybody but root.

    Raises:
        NotRoot: this is another user.
    """
    if os.geteuid() != 0:
        raise NotRoot("cells are namespaces, mounts and cgroups of this machine")


def run(
    argv: Sequence[str],
    *,
    input_text: str | None = None,
    timeout_s: float = 60,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return what it printed; it dies with this process.

    Args:
        argv: program and arguments.
        input_text: its standard input; empty when None.
        timeout_s: in seconds, stretched where deadlines are; the program is killed after it.
        check: raise when it exits with another code than 0.

    Raises:
        ClusterError: it is missing, it took too long, or (with `check`) it failed.
    """
    timeout_s = stretched(timeout_s)
    try:
        done = subprocess.run(
            [*WITH_US, *argv],
            input=input_text or "",
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as error:
        raise ClusterError(f"{WITH_US[0]} is not installed; run `make setup`") from error
    except subprocess.TimeoutExpired as error:
        raise ClusterError(f"`{_shown(argv)}` did not end within {timeout_s:.0f} s") from error
    if done.returncode == NOT_FOUND and not shutil.which(argv[0]):
        raise ClusterError(f"{argv[0]} is not installed; run `make setup`")
    if check and done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise ClusterError(f"`{_shown(argv)}` exited with {done.returncode}: {said}")
    return done


def _shown(argv: Sequence[str]) -> str:
    """The command without the way into the cell's namespaces, which ends with its first `--`."""
    way_in = "nsenter" in argv and "--" in argv
    return " ".join(argv[argv.index("--") + 1 :] if way_in else argv)
