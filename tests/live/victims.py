"""Draws of crashes: by a seed, what is going on, when in it, who is hit, how, and what repairs it.

A draw is made before anything runs, but for the victim: that is drawn among the processes that are
there at the moment, of the harness and of the cell. To draw by the hashes of their kinds makes one
seed hit the same kind whatever else happens to run.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded import layout
from faultyard.trials import gates
from live import residue, stepped
from live.residue import Process

UP = ("storage", "network", "control plane", "nodes", "DNS and storage class", "telemetry")
TEMPLATE = (
    "template: network",
    "template: nodes",
    "template: deploying hotel",
    "template: waiting for hotel",
    "template: stopping it",
)
TRIAL = (
    "a cell of its own",
    "waiting for hotel",
    gates.UNTIL_SERVED,
    "injection",
    gates.UNTIL_SHOWN,
    "turn of command",
    "state after the turn",
    "hold",
    "state at the end",
    "what users wrote",
)
DOWN = ("os.kill", "os.rmdir", "subprocess.Popen", "os.remove")
"""In `down`: while processes, cgroups, storage, files are removed."""
COUNTS = (0, 1, 3, 10, 30, 100)
"""How many acts of a phase are let pass; the phase's end comes before some of them."""
SIGNALS = ("SIGKILL", "SIGKILL", "SIGTERM", "SIGHUP", "SIGSTOP")
SIDES = ("harness", "cell")
REPAIRS = (("down",), ("down", "--all"), ("up",))
"""`down` is of each cell by its name."""
LAUNCHERS = frozenset("setpriv nsenter unshare env sh bash nice setsid kube python3 python".split())
"""Programs of which what they run tells more than they do."""


@dataclass(frozen=True)
class Draw:
    """What a seed says."""

    seed: int
    action: str
    """What goes on: `up`, `session`, `down`, `template`, `trial`."""
    phase: str
    act: str
    count: int
    side: str
    """Whose process is hit, if it has one then."""
    signal: str
    repair: tuple[str, ...]
    """The command that repairs it."""

    def __str__(self) -> str:
        steps = f"+{self.count} {self.act.rpartition('.')[2]}" if self.action != "session" else ""
        moment = " ".join(filter(None, (self.action, self.phase, steps)))
        return f"{self.seed}: {moment}, {self.signal} to {self.side}, {' '.join(self.repair)}"

    def victim(self, harness: list[Process], cell: list[Process]) -> Process:
        """Who is hit.

        Args:
            harness: the harness's processes, at least one.
            cell: the cell's other processes.
        """
        among = cell if self.side == "cell" and cell else harness
        kinds = {kind(process) for process in among}
        chosen = min(kinds, key=lambda one: hashlib.sha256(f"{self.seed} {one}".encode()).digest())
        same = sorted((p for p in among if kind(p) == chosen), key=lambda p: (p.started, p.pid))
        return random.Random(self.seed).choice(same)


def draw(seed: int, *, trials: bool) -> Draw:
    """The draw of a seed.

    Args:
        seed: any number.
        trials: whether it may be in a trial or in the making of a template, which take minutes;
            else it is in a bare cell.
    """
    drawn = random.Random(f"crash {seed}")
    moments = [("up", phase) for phase in UP] + [("session", "")] + [("down", "")] * len(DOWN)
    if trials:
        moments += [("template", phase) for phase in TEMPLATE]
        moments += [("trial", phase) for phase in TRIAL]
    action, phase = drawn.choice(moments)
    act = drawn.choice(DOWN) if action == "down" else stepped.ANY
    return Draw(
        seed,
        action,
        phase,
        act,
        drawn.choice(COUNTS[:3] if action == "down" else COUNTS),
        drawn.choice(SIDES),
        drawn.choice(SIGNALS),
        ("down",) if action == "trial" else drawn.choice(REPAIRS),
    )


def kind(process: Process) -> str:
    """What a process is, without what differs from run to run."""
    for word in process.command.split():
        name = word.rpartition("/")[2]
        if re.fullmatch(r"[a-z][-a-z0-9._]*", name) and name not in LAUNCHERS:
            return name
    return process.name


def of_harness(pid: int) -> list[Process]:
    """A process of the harness with all that it has started and that still is below it."""
    alive = _alive()
    found = [process for process in alive if process.pid == pid]
    for process in found:
        found += [other for other in alive if other.parent == process.pid]
    return found


def of_cells(state: Path) -> list[Process]:
    """The processes of all cells of a state folder."""
    group = re.compile(rf"/cell-[^/\n]*-{layout.mark(state)}(?!\w)")
    return [process for process in _alive() if group.search(process.cgroup)]


def without(processes: Iterable[Process], others: Iterable[Process]) -> list[Process]:
    """Those that are not among the others."""
    known = {other.pid for other in others}
    return [process for process in processes if process.pid not in known]


def _alive() -> list[Process]:
    return [process for process in residue.processes() if process.state != "Z"]
