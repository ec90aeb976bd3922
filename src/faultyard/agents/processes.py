"""The agent's processes: started in the sandbox, bounded in time and output, ended all of them."""

from __future__ import annotations

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from faultyard.agents import network
from faultyard.agents.errors import SandboxFailed
from faultyard.agents.streams import Streams, memory_file
from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.namespaces import CLEAN_PATH, Namespaces

STOP_LOOK_S = 1.0
HOST_ID = 2_000_001_000
"""The agent's user as the host's kernel sees it; no system gives this number to anybody.

Never the host's root, not even in a user namespace and without capabilities: the files below
/proc/sys ask for the user alone, and writing kernel.core_pattern is running programs as root.
"""
AS_AGENT = (
    f"setpriv --reuid {HOST_ID} --regid {HOST_ID} --clear-groups --bounding-set=-all "
    "--inh-caps=-all --no-new-privs"
)
"""Shell words that run what follows as the agent's user, without any capability."""
LIMITS = {"pids.max": 4096, "memory.limit_in_bytes": 4 * 2**30, "memory.max": 4 * 2**30}
"""Files of cgroups v1 and v2; those of a controller that is not there are left out."""


@dataclass(frozen=True)
class Program:
    """What is run in the sandbox."""

    argv: Sequence[str]
    """Program and arguments, as seen from inside."""
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Variables beside the usual ones."""
    mounts: Mapping[Path, str] = field(default_factory=lambda: MappingProxyType({}))
    """The host's files or folders to show read-only, and where."""
    parts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What was installed in the sandbox, by name, and where to show it."""
    stdin: bytes = b""
    """What it reads on its standard input."""


@dataclass(frozen=True)
class Exit:
    """How a program ended."""

    code: int | None
    """Its exit code, 128 + n after signal n; None when it was ended before it ended itself."""
    reason: Literal["exit", "limit", "stopped"]
    """`stopped`: by `Sandbox.stop`."""


def create_cgroup(path: str) -> None:
    """Make the agent's cgroup, bounded so that a runaway program does not take the host down."""
    for folder in cgroups.create(path):
        for name, value in LIMITS.items():
            if (folder / name).exists():
                (folder / name).write_text(str(value))


def execute(
    namespaces: Namespaces,
    cgroup: str,
    options: Sequence[str],
    program: Program,
    *,
    limit_s: float,
    streams: Streams,
    stopped: threading.Event,
) -> Exit:
    """Run a program in the sandbox until it ends or its time is over; then end all its children.

    Args:
        namespaces: the cell's.
        cgroup: where it runs, and nothing else does.
        options: bubblewrap's.
        program: its arguments.
        limit_s: seconds.
        streams: what it reads and writes.
        stopped: set by whoever ends it by its cgroup.

    Raises:
        SandboxFailed: bubblewrap, or what is before it, failed.
        NotReady: some process could not be ended.
    """
    status_read, status_write = os.pipe()
    try:
        process = _start(namespaces, cgroup, options, program.argv, status_write, streams)
    except BaseException:
        os.close(status_read)
        raise
    finally:
        os.close(status_write)
    with os.fdopen(status_read, "rb") as status:
        ended = _await_end(process, limit_s, streams, lambda: cgroups.kill(cgroup), stopped)
        started = _has_started(status.read())
    if stopped.is_set():
        return Exit(None, "stopped")
    if not started and ended.reason == "exit":
        said = streams.last_words() or "no word"
        raise SandboxFailed(f"the agent's sandbox did not start ({ended.code}): {said}")
    return ended


def _start(
    namespaces: Namespaces,
    cgroup: str,
    options: Sequence[str],
    argv: Sequence[str],
    status_fd: int,
    streams: Streams,
) -> subprocess.Popen[bytes]:
    options_fd = memory_file("options", "\0".join(options).encode())
    descriptors = streams.open()
    try:
        return subprocess.Popen(
            _command(namespaces, cgroup, options_fd, status_fd, argv),
            stdin=descriptors[0],
            stdout=descriptors[1],
            stderr=descriptors[2],
            pass_fds=(options_fd, status_fd),
            start_new_session=True,
            # Of bubblewrap itself, as seen in /proc/1/environ; the shell adds PWD.
            env={"PATH": CLEAN_PATH},
            cwd="/",
        )
    finally:
        for fd in {options_fd, *descriptors}:
            os.close(fd)


def _command(
    namespaces: Namespaces, cgroup: str, options_fd: int, status_fd: int, argv: Sequence[str]
) -> list[str]:
    # No path of the host on bubblewrap's command line: it is process 1 of the agent's world.
    # When the harness dies, so does all of this. Signals that it ignores, as what a shell starts in
    # the background ignores Control-C, are the agent's own matter.
    pid = namespaces.pid
    script = (
        f"{cgroups.join_script(cgroup)} exec env --default-signal setpriv --pdeathsig KILL"
        f" nsenter -t {pid} -m -u -i -p --net=/proc/{pid}/root/run/netns/{network.NAME}"
        f" -- {AS_AGENT}"
        f' bwrap --args {options_fd} --json-status-fd {status_fd} -- "$@"'
    )
    return ["sh", "-c", script, "sh", *argv]


def _await_end(
    process: subprocess.Popen[bytes],
    limit_s: float,
    streams: Streams,
    kill_all: Callable[[], None],
    stopped: threading.Event,
) -> Exit:
    streams.begin(process)
    try:
        in_time = _ends_within(process, limit_s, stopped)
    finally:
        kill_all()
        process.wait()
        streams.finish()
    return Exit(process.returncode, "exit") if in_time else Exit(None, "limit")


def _ends_within(
    process: subprocess.Popen[bytes], limit_s: float, stopped: threading.Event
) -> bool:
    """Wait for its end; told by the kernel, as `Popen.wait` looks every 50 ms only."""
    deadline = time.monotonic() + limit_s
    fd = os.pidfd_open(process.pid)
    try:
        # One that had not joined its cgroup yet when that was ended is found by the flag.
        while (left := deadline - time.monotonic()) > 0 and not stopped.is_set():
            if select.select([fd], [], [], min(left, STOP_LOOK_S))[0]:
                process.wait()
                return True
        return False
    finally:
        os.close(fd)


def _has_started(status: bytes) -> bool:
    """Whether bubblewrap got as far as the program: only then it tells an exit code."""
    lines = [json.loads(line) for line in status.splitlines() if line.strip()]
    return any("exit-code" in line for line in lines)
