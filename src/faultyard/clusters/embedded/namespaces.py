"""A cell's namespaces: its first process, ways into them, and processes started in them.

The first process is `tini`, which reaps; `unshare --kill-child` above it. When either is killed,
the kernel ends every process of the PID namespace, and with the last of them go links, mounts and
network namespaces.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded import cgroups, layout
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.pool_mounts import drop_all_but
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

CLONE_NEWNET = 0x40000000
UNSHARE = (
    "unshare --net --mount --uts --ipc --pid --fork --kill-child=SIGKILL --mount-proc "
    "--propagation=private"
).split()
"""The command line that runs the words after it as first process of a cell's namespaces."""
FURNISHING = (
    "mount -t tmpfs -o mode=755 tmpfs /run; mkdir -p /run/netns /run/lock; "
    # A launcher puts the host's file, this very one, into each node, where root can write to it.
    'cp -L /etc/os-release /run; mount --bind /run/os-release "$(readlink -f /etc/os-release)"; '
    "[ -e /proc/sys/net/bridge ] || modprobe br_netfilter; "
    f"ip link set lo up; ip link add {layout.BRIDGE} type bridge; "
    f"ip addr add {layout.GATEWAY}/24 dev {layout.BRIDGE}; ip link set {layout.BRIDGE} up; "
    "sysctl -qw net.ipv4.ip_forward=1"
)
"""The shell script that makes a cell's namespaces a place for its parts."""
CLEAN_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def start_time(pid: int) -> int | None:
    """When a process began, in clock ticks since boot; None when there is none, or a zombie.

    With the PID it names a process for good: PIDs are used again, and `down` must never kill a
    stranger (proc(5), field 22 of stat).
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else int(fields[19])


def _in_cgroup(pid: int, cgroup: str) -> bool:
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(f"{line.split(':', 2)[2]}/".startswith(f"/{cgroup}/") for line in lines)


@dataclass(frozen=True)
class Namespaces:
    """The namespaces of a running cell, named by its first process.

    Args:
        pid: host PID of the first process.
        started: its start time in clock ticks.
        cgroup: the cell's cgroup, relative to each hierarchy.
    """

    pid: int
    started: int
    cgroup: str

    @property
    def alive(self) -> bool:
        """Whether the first process still runs.

        After a reboot a stranger could have its number, and even its start time since boot.
        """
        return self._there and _in_cgroup(self.pid, self.cgroup)

    @property
    def _there(self) -> bool:
        return start_time(self.pid) == self.started

    def in_network(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs `argv` in the cell's network, with the host's files."""
        return self._weighing(["nsenter", f"--net=/proc/{self.pid}/ns/net", "--", *argv])

    def inside(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs `argv` as a process of the cell."""
        return self._weighing(self.outside_the_cgroup(argv))

    def outside_the_cgroup(self, argv: Sequence[str]) -> list[str]:
        """The same, but not in the cell's cgroup: only there may it have real-time priority."""
        spaces = ["-m", "-n", "-u", "-i", "-p"]
        return ["nsenter", "-t", str(self.pid), *spaces, "--", *argv]

    def _weighing(self, argv: Sequence[str]) -> list[str]:
        """Run it in the cell's cgroup: beside busy cells a process of the host hardly runs."""
        return ["sh", "-c", f'{cgroups.join_script(self.cgroup)} exec "$@"', "sh", *argv]

    def run(self, argv: Sequence[str], timeout_s: float = 60, check: bool = True) -> str:
        """Run a program in the cell to its end; returns its output."""
        return run(self.inside(argv), timeout_s=timeout_s, check=check).stdout

    def start(
        self,
        name: str,
        argv: Sequence[str],
        log: Path,
        *,
        cgroup: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> int:
        """Start a daemon in the cell; its parent is the first process.

        Args:
            name: for the error message.
            argv: program and arguments.
            log: gets its output; appended to.
            cgroup: where it runs, the cell's own when None.
            env: its whole environment beside PATH.

        Returns:
            Its PID in the cell.
        """
        variables = [f"{k}={v}" for k, v in {"PATH": CLEAN_PATH, **(env or {})}.items()]
        command = shlex.join(["env", "-i", *variables, *argv])
        join = "" if cgroup is None else cgroups.join_script(cgroup)
        # The program alone moves into another cgroup; `exec` keeps its PID the one that is told.
        launch = (
            f"({join} exec setsid {command}) >>{shlex.quote(str(log))} 2>&1 </dev/null & echo $!"
        )
        done = run(self.inside(["sh", "-c", launch]))
        if not done.stdout.strip().isdigit():
            raise ClusterError(f"{name} could not be started: {done.stderr.strip()}")
        return int(done.stdout)

    def running(self, pid: int) -> bool:
        """Whether the process with this PID of the cell is there and no zombie."""
        state = self.run(["ps", "-o", "stat=", "-p", str(pid)], check=False).strip()
        return bool(state) and not state.startswith("Z")

    def stop(self, pid: int, timeout_s: float = 20) -> None:
        """Have a process with this PID of the cell end by itself, and wait until it has."""
        self.run(["kill", "-s", "TERM", str(pid)], check=False)

        def look() -> tuple[bool | None, str]:
            return (None if self.running(pid) else True), f"process {pid} of the cell is there"

        wait_for("a process of the cell to end", look, timeout_s=timeout_s)

    def wait_ended(self, timeout_s: float = 20) -> None:
        """Wait until the first process has ended, when it was alive and then killed.

        It ends last: the kernel has it wait for every process of its PID namespace.
        """
        wait_for(
            "the cell's first process to end",
            lambda: (None if self._there else True, f"process {self.pid} is there"),
            timeout_s=timeout_s,
            every_s=0.02,
        )

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """The calling thread's new sockets belong to the cell's network meanwhile."""
        with entered_network(self.pid):
            yield


@contextlib.contextmanager
def entered_network(pid: int) -> Iterator[None]:
    """The calling thread is in the network namespace of a process meanwhile."""
    here, there = Path("/proc/thread-self/ns/net"), Path(f"/proc/{pid}/ns/net")
    with here.open() as own, there.open() as other:
        _setns(other.fileno())
        try:
            yield
        finally:
            _setns(own.fileno())


def _setns(fd: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(fd, CLONE_NEWNET) != 0:
        code = ctypes.get_errno()
        raise ClusterError(f"could not enter the cell's network: {os.strerror(code)}")


def create(cgroup: str, hostname: str, pool: Path, log: Path) -> Namespaces:
    """Start a cell's first process in namespaces of its own.

    Args:
        cgroup: where it runs.
        hostname: of its UTS namespace.
        pool: where its own storage is mounted.
        log: gets its messages.
    """
    # Other state folders' pools would be in its sight, and could not be unmounted as long as it
    # lives. The host name is set by the process itself, inside its own UTS namespace.
    first = (
        f"{drop_all_but(pool)}; hostname {shlex.quote(hostname)}; exec tini -s -- sleep infinity"
    )
    command = shlex.join([*UNSHARE, "sh", "-c", first])
    # Not a child of this process: it outlives it, and is init's to reap.
    launch = f"setsid {command} >>{shlex.quote(str(log))} 2>&1 </dev/null & echo $!"
    log.touch()
    clean = ["env", "-i", f"PATH={CLEAN_PATH}", "sh", "-c"]
    parent = int(run([*clean, f"{cgroups.join_script(cgroup)} {launch}"]).stdout)

    def look() -> tuple[int | None, str]:
        if start_time(parent) is None:
            said = log.read_text()[-500:].strip()
            raise ClusterError(f"namespaces could not be made: {said or f'see {log}'}")
        for pid in children(parent):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if Path(f"/proc/{pid}/comm").read_text().strip() == "tini":
                    return pid, ""
        return None, "no first process yet"

    pid = wait_for("the cell's first process", look, timeout_s=10, every_s=0.01)
    started = start_time(pid)
    if started is None:
        raise ClusterError(f"the cell's first process ended at once; see {log}")
    return Namespaces(pid, started, cgroup)


def children(pid: int) -> list[int]:
    """The host PIDs of a process's children."""
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        listing = run(["pgrep", "-P", str(pid)], check=False).stdout
        return [int(p) for p in listing.split()]
