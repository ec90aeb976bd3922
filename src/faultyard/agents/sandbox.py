"""The sandbox of one turn: bubblewrap on a network of its own, as the on-call engineer's machine.

All of it lies in the cell: its processes in the cell's PID namespace and cgroup, its files in
memory mounted in the cell's mount namespace, its network in the cell's. So it ends with the cell,
whatever becomes of the harness.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from faultyard.agents import bastion, network, privacy, processes, view
from faultyard.agents.processes import Exit, Program
from faultyard.agents.session import Session
from faultyard.agents.streams import Pipes, Streams
from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.namespaces import Namespaces

PARTS = Path("/run/bastion")
"""Where the sandbox's own files lie in the cell: short and dull, as mountinfo shows it."""
HOME_SIZE = "1g"
LOOK_S = 20


@dataclass(frozen=True)
class Sandbox:
    """Where one agent's programs run, several at once. Make one with `Sandbox.open`.

    Args:
        namespaces: the cell's.
        cgroup: of the agent, below the cell's; each run has one of its own below it.
        private: the harness's folders; nothing in them may be shown to an agent.
        variables: of every program, beside the usual ones.
    """

    namespaces: Namespaces
    cgroup: str
    private: tuple[Path, ...]
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    stopped: threading.Event = field(default_factory=threading.Event)
    """Set when no program may run any more."""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @classmethod
    def open(
        cls,
        cell: Cell,
        session: Session,
        *,
        kubectl: Path,
        alert: str,
        private: Iterable[Path] = (),
        variables: Mapping[str, str] | None = None,
    ) -> Sandbox:
        """Make the sandbox in a running cell.

        Args:
            cell: the cell.
            session: whose credentials lie in the agent's home.
            kubectl: the binary; it is copied, so that its place is not seen.
            alert: the text that the on-call engineer is paged with.
            private: folders of this trial that no agent may be shown, beside the state folder, the
                cache and the source tree: the problem's, the record's.
            variables: of every program, beside the usual ones.

        Raises:
            ClusterError: the cell has one already, or a part could not be made.
        """
        spaces = cell.namespaces
        closed = privacy.closed(cell.state, private)
        sandbox = cls(spaces, f"{cell.cgroup}/agent", closed, dict(variables or {}))
        processes.create_cgroup(sandbox.cgroup)
        network.create(spaces, cell.node_layouts)
        spaces.run(["sh", "-ec", mount_script()])
        shutil.copyfile(kubectl, sandbox.parts / "tools/kubectl")
        (sandbox.parts / "tools/kubectl").chmod(0o755)
        for name in bastion.COMMANDS:
            shutil.copyfile(bastion.FOLDER / "oncall.py", sandbox.parts / "tools" / name)
            (sandbox.parts / "tools" / name).chmod(0o755)
        for name, text in view.etc_files(cell.node_layouts).items():
            _write(sandbox.parts / "etc" / name, text, 0o644)
        sandbox.put("alert.txt", f"{alert.rstrip()}\n", 0o644)
        home = sandbox.parts / "home"
        for folder in (".kube", ".ssh"):
            (home / folder).mkdir(mode=0o700)
            os.chown(home / folder, processes.HOST_ID, processes.HOST_ID)
        _write(home / ".kube/config", session.kubeconfig, 0o600)
        _write(home / ".ssh/id_ed25519", session.ssh_key.read_text(), 0o600)
        public = session.ssh_key.with_suffix(".pub").read_text()
        _write(home / ".ssh/id_ed25519.pub", public, 0o644)
        _write(home / ".ssh/config", view.ssh_config(cell.node_layouts), 0o600)
        return sandbox

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def parts(self) -> Path:
        """The sandbox's own files as the harness reaches them."""
        return Path(f"/proc/{self.namespaces.pid}/root{PARTS}")

    def put(self, name: str, text: str, mode: int = 0o755) -> str:
        """Put a file into the agent's home before it runs; returns its path there.

        Args:
            name: a plain file name that is not there yet.
            text: its content.
            mode: its permissions.
        """
        if Path(name).name != name:
            raise ValueError(f"{name} is no plain file name")
        _write(self.parts / "home" / name, text, mode)
        return f"{view.HOME}/{name}"

    def install(self, name: str, fill: Callable[[Path], None]) -> str:
        """Make a folder of files for programs to see, if they ask for it in `Program.parts`.

        It lies in memory, so that nothing tells where the files are from.

        Args:
            name: a plain file name that is not there yet.
            fill: puts the files into the folder; everybody may read them.

        Returns:
            The name.
        """
        folder = self.parts / name
        folder.mkdir(mode=0o755)
        fill(folder)
        return name

    def run(self, program: Program, *, limit_s: float, stdout: Path, stderr: Path) -> Exit:
        """Run a program to its end, or to its limit; whatever it started has ended then.

        Args:
            program: what to run.
            limit_s: seconds.
            stdout: file for its standard output; written as it comes.
            stderr: file for its standard error.

        Raises:
            UsageError: it would be shown something of the harness.
            SandboxFailed: the sandbox did not start.
        """
        return self.run_with(program, Pipes(program.stdin, stdout, stderr), limit_s=limit_s)

    def run_with(self, program: Program, streams: Streams, *, limit_s: float) -> Exit:
        """The same, with other input and output than files."""
        if self.stopped.is_set():
            return Exit(None, "stopped")
        privacy.require_showable(program.mounts, self.private)
        package = privacy.PACKAGE
        hidden = (package,) if Path("/usr/lib") in package.parents else ()
        mounts = self._bring_in(program.mounts)
        mounts |= {PARTS / name: target for name, target in program.parts.items()}
        variables = {**self.variables, **program.env}
        options = view.arguments(Path("/"), PARTS, variables, mounts, hidden)
        # To end one run must not end the others.
        cgroup = f"{self.cgroup}/{next(self._numbers)}"
        cgroups.create(cgroup)
        try:
            return processes.execute(
                self.namespaces,
                cgroup,
                options,
                program,
                limit_s=limit_s,
                streams=streams,
                stopped=self.stopped,
            )
        finally:
            cgroups.remove(cgroup)

    def stop(self) -> None:
        """End all that runs; whoever waits for it is told `stopped`. Nothing may be run after."""
        self.stopped.set()
        cgroups.kill(self.cgroup)

    def has(self, program: Program) -> bool:
        """Whether the program can be found and executed in the sandbox."""
        look = Program(
            ["/bin/sh", "-c", 'command -v -- "$0" >/dev/null', program.argv[0]],
            program.env,
            program.mounts,
        )
        nowhere = Path(os.devnull)
        return self.run(look, limit_s=LOOK_S, stdout=nowhere, stderr=nowhere).code == 0

    def close(self) -> None:
        """End all processes and remove network, files and cgroup; doing it twice is no error."""
        self.stop()
        network.remove(self.namespaces)
        self.namespaces.run(["sh", "-ec", _unmount_script()])
        cgroups.remove(self.cgroup)

    def _bring_in(self, mounts: Mapping[Path, str]) -> dict[Path, str]:
        """Bind them where the agent's host user, who may not enter /root, finds them."""
        found = {}
        for source, target in mounts.items():
            place = PARTS / "mounts" / hashlib.sha256(str(source).encode()).hexdigest()[:12]
            make = "mkdir -p" if source.is_dir() else "touch"
            script = (
                f"mkdir -p {place.parent}; if ! mountpoint -q {place}; then {make} {place}; "
                f'mount --bind -- "$1" {place}; fi'
            )
            self.namespaces.run(["sh", "-ec", script, "sh", str(source)])
            found[place] = target
        return found


def mount_script() -> str:
    """The shell script that makes the places of the sandbox's files, in the cell."""
    owner = f"uid={processes.HOST_ID},gid={processes.HOST_ID}"
    return (
        f"mkdir -m 755 {PARTS}; mkdir -m 755 {PARTS}/tools {PARTS}/etc; mkdir {PARTS}/home; "
        f"mkdir {PARTS}/etc/alternatives; touch {PARTS}/etc/ld.so.cache; "
        f"mount -t tmpfs -o size={HOME_SIZE},mode=700,{owner},nosuid,nodev tmpfs {PARTS}/home"
    )


def _unmount_script() -> str:
    # Lazily: what still looks into it from outside does not keep it from going.
    return (
        f"for place in {PARTS}/home {PARTS}/mounts/*; do"
        " if mountpoint -q $place; then umount -l $place; fi; done; "
        f"rm -rf --one-file-system {PARTS}"
    )


def _write(path: Path, text: str, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, mode), "w") as file:
        os.fchmod(file.fileno(), mode)
        os.fchown(file.fileno(), processes.HOST_ID, processes.HOST_ID)
        file.write(text)
