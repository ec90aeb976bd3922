"""The agent's commands on nodes and in pods, by the session in which they were given.

On nodes they are what was started from logins; in pods, what was started beside their own
programs: by the API server's exec, or by the runtime's own on the node.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from faultyard.model import commands
from faultyard.model.commands import Act
from faultyard.model.processes import Process, Recording

UNKNOWN = "unknown"
"""Stands for the namespace of a pod of which only the UID is known."""
_ROOT = 0


@dataclass(frozen=True)
class Command:
    """One program that the agent started, and what it does."""

    process: Process
    act: Act

    @property
    def as_root(self) -> bool:
        """Whether it had root's rights."""
        return self.process.euid == _ROOT

    @property
    def changes(self) -> bool:
        """Whether it changes something for sure."""
        return self.act in (Act.CHANGE, Act.MIXED)

    @property
    def hides(self) -> bool:
        """Whether nobody knows all that it does."""
        return self.act in (Act.UNKNOWN, Act.MIXED)

    @property
    def telling(self) -> bool:
        """Whether it is known to change nothing."""
        return self.act in (Act.READ, Act.STARTS)

    @property
    def ends_first(self) -> bool:
        """Whether it ends the first program where it runs, and does nothing else."""
        return not self.process.cut and commands.ends_first(self.process.exe, self.process.argv)

    @property
    def ends_first_unless_handled(self) -> bool:
        """Whether it does so if that program does not handle the signal, and nothing else."""
        process = self.process
        return not process.cut and commands.ends_first(
            process.exe, process.argv, unless_handled=True
        )

    @property
    def sends_input(self) -> bool:
        """Whether it opens a connection and sends no more than it is given."""
        return not self.process.cut and commands.sends_input(self.process.exe, self.process.argv)

    @property
    def told(self) -> Sequence[str]:
        """What it was told, if it may speak to anybody."""
        return commands.told(self.process.exe, self.process.argv)

    @property
    def mutes_senders(self) -> bool:
        """Whether it is a shell that gives nothing to what would send it on."""
        return not self.process.cut and commands.mutes_senders(self.process.exe, self.process.argv)

    @property
    def feeds_others(self) -> bool:
        """Whether it may give to one program what another says."""
        process = self.process
        return process.cut or commands.feeds_others(process.exe, process.argv)


@dataclass(frozen=True)
class Sessions:
    """What was started since a moment.

    Args:
        processes: all that were recorded.
        recording: how well; None: the record knows of none.
        start: unix seconds; None: the turn never began.
        made: UIDs and names of pods that controllers made of the agent's workloads.
    """

    processes: tuple[Process, ...]
    recording: Recording | None
    start: float | None
    made: frozenset[str] = frozenset()

    @cached_property
    def complete(self) -> bool:
        """Whether nothing that was started since then is missing."""
        return (
            self.recording is not None
            and self.start is not None
            and self.recording.state == "recorded"
            and not self.recording.lost_since(self.start)
            and not self.recording.taken_since(self.start)
        )

    @cached_property
    def on_nodes(self) -> Mapping[str, tuple[Command, ...]]:
        """Commands given in logins, by node."""
        found: dict[str, list[Command]] = defaultdict(list)
        for process in self._since:
            if process.session == "ssh":
                found[process.node].append(_command(process, powerful=process.euid == _ROOT))
        return {node: tuple(given) for node, given in found.items()}

    @cached_property
    def executed(self) -> Mapping[str, tuple[tuple[Command, ...], ...]]:
        """Commands executed in running containers, by pod, one tuple for each session."""
        found: dict[str, dict[int, list[Command]]] = defaultdict(lambda: defaultdict(list))
        for process in self._since:
            if process.session == "exec":
                pod = process.pod or f"{UNKNOWN}/{process.pod_uid}"
                found[pod][process.sid].append(_command(process))
        return {pod: tuple(map(tuple, given.values())) for pod, given in found.items()}

    @cached_property
    def runs(self) -> Mapping[str, int]:
        """How often the runtime was asked to execute something, by pod."""
        return Counter(process.pod for process in self._since if _enters(process))

    @cached_property
    def own(self) -> Mapping[str, tuple[Command, ...]]:
        """What ran in pods that the agent made, and in containers that it added, by pod."""
        found: dict[str, list[Command]] = defaultdict(list)
        for process in self._since:
            if self._own(process) and not holds(process):
                pod = process.pod or f"{UNKNOWN}/{process.pod_uid}"
                found[pod].append(_command(process))
        return {pod: tuple(given) for pod, given in found.items()}

    def _own(self, process: Process) -> bool:
        if process.session == "service" and process.where == "pod":
            return (process.pod_uid or process.pod) in self.made
        return process.session == "debug"

    @cached_property
    def _since(self) -> tuple[Process, ...]:
        if self.start is None:
            return ()
        return tuple(process for process in self.processes if process.t >= self.start)


def _enters(process: Process) -> bool:
    """Tell whether it is the runtime, about to execute something in a container."""
    return (
        process.session == "service"
        and process.where == "node"
        and bool(process.pod)
        and PurePosixPath(process.exe).name == "runc"
        and "exec" in process.argv
    )


def holds(process: Process) -> bool:
    """Tell whether it is what the runtime starts in each pod: itself, and the pod's holder."""
    return process.argv == ("runc", "init") or (process.exe == "/pause" and not process.container)


def _command(process: Process, *, powerful: bool = True) -> Command:
    act = commands.judge(process.exe, process.argv, cut=process.cut, powerful=powerful)
    return Command(process, act)
