"""What the agent started on nodes and in pods, and what it forwarded, as a report shows it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from faultyard.model import forwards, processes
from faultyard.model.case import Case
from faultyard.model.commands import Act
from faultyard.model.findings import Finding
from faultyard.model.findings.executed import commands_in
from faultyard.model.forwards import Forward
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.reports.clock import duration
from faultyard.reports.excerpts import size

_LONGEST: Final = 300
"""Characters of a command line that are shown before it is asked for."""
_ROWS: Final = 200
"""Programs of one session that a page lists; the record has all of them."""
_SESSIONS: Final = 300
"""Sessions and forwarded connections that a page lists."""
Place = tuple[str, int]
"""A file of the record and a line in it."""


@dataclass(frozen=True)
class Started:
    """One program."""

    line: int
    received: float
    root: bool
    """Whether it had root's rights."""
    command: str
    rest: str
    """What of a long command line does not stand in `command`."""
    act: Act


@dataclass(frozen=True)
class Session:
    """One login on a node, one exec into a container, or one pod that the agent made."""

    received: float
    way: str
    """`ssh`, `exec`, `debug`, or `service` (in a pod of its own), as the record has it."""
    where: str
    rows: tuple[Started, ...]
    more: int
    """Programs that are not listed."""
    findings: tuple[Finding, ...]
    """Those that rest on it."""

    @property
    def form(self) -> str:
        """How the template shows it."""
        return "session"

    @property
    def places(self) -> tuple[Place, ...]:
        """What of the record it shows."""
        return tuple((processes.FILE, row.line) for row in self.rows)


@dataclass(frozen=True)
class Tunnel:
    """One connection through a forwarded port."""

    received: float
    line: int
    where: str
    told: str
    findings: tuple[Finding, ...]

    @property
    def form(self) -> str:
        """How the template shows it."""
        return "tunnel"

    @property
    def places(self) -> tuple[Place, ...]:
        """What of the record it shows."""
        return ((forwards.FILE, self.line),)


@dataclass(frozen=True)
class Recording:
    """How well it is known what was started, and what was started on the agent's own machine."""

    said: str
    """What is missing; empty: nothing."""
    own: tuple[tuple[str, int], ...]
    """Programs and how often each was started, most often first."""


def entries(case: Case, resting: Mapping[Place, Sequence[Finding]]) -> list[Session | Tunnel]:
    """Return the sessions and forwarded connections of the turn, in their order.

    Args:
        case: the record.
        resting: findings by the places that they rest on.
    """
    found: list[Session | Tunnel] = [_session(given, resting) for given in _groups(case)]
    found += [
        _tunnel(each, resting.get((forwards.FILE, each.line), ()))
        for each in case.record.forwards
        if case.turn_start is not None and each.t >= case.turn_start
    ]
    return sorted(found, key=lambda each: each.received)[:_SESSIONS]


def recording(case: Case) -> Recording | None:
    """Return how well it is known; None: the record is older than the recorder."""
    recorded, start = case.record.recording, case.turn_start
    if recorded is None:
        return None
    said = recorded.message if recorded.state != "recorded" else ""
    lost = 0 if start is None else sum(loss.events for loss in recorded.lost_since(start))
    if lost:
        said = f"{said}; " if said else ""
        said += f"{lost} events were lost"
    taken = 0 if start is None else sum(each.bytes for each in recorded.taken_since(start))
    if taken:
        said = f"{said}; " if said else ""
        said += f"{taken} bytes of events were taken by somebody else"
    own = Counter(
        PurePosixPath(process.exe).name
        for process in case.record.processes
        if process.session == "agent" and start is not None and process.t >= start
    )
    return Recording(said, tuple(own.most_common()))


def _groups(case: Case) -> Iterable[list[Command]]:
    """Yield the commands of each session."""
    sessions = case.sessions
    pods = {pod: commands_in(case, _pod(pod)) for pod in sessions.executed}
    for given in (*sessions.on_nodes.values(), *pods.values(), *sessions.own.values()):
        groups: dict[int, list[Command]] = defaultdict(list)
        for command in given:
            groups[command.process.sid].append(command)
        yield from groups.values()


def _pod(name: str) -> ObjectRef:
    namespace, _, own = name.partition("/")
    return ObjectRef("Pod", namespace, own)


def _session(given: list[Command], resting: Mapping[Place, Sequence[Finding]]) -> Session:
    first = given[0].process
    container = f", container {first.container}" if first.container else ""
    lines = ((processes.FILE, command.process.line) for command in given)
    findings = dict.fromkeys(finding for place in lines for finding in resting.get(place, ()))
    return Session(
        first.t,
        first.session,
        f"{first.pod or first.pod_uid}{container}" if first.session != "ssh" else first.node,
        tuple(_started(command) for command in given[:_ROWS]),
        len(given[_ROWS:]),
        tuple(findings),
    )


def _started(command: Command) -> Started:
    process, whole = command.process, command.process.command
    return Started(
        process.line,
        process.t,
        command.as_root,
        whole[:_LONGEST],
        whole[_LONGEST:],
        command.act,
    )


def _tunnel(each: Forward, findings: Sequence[Finding]) -> Tunnel:
    parts = [f"by {'a login' if each.by == 'ssh' else 'the API server'}"]
    parts.append("still open" if each.until is None else f"for {duration(each.until - each.t)}")
    if each.sent is not None and each.received is not None:
        parts.append(f"{size(each.sent)} sent, {size(each.received)} received")
    where = f"{each.pod or each.address or each.node}, port {each.port}"
    return Tunnel(each.t, each.line, where, ", ".join(parts), tuple(findings))
