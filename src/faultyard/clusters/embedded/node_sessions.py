"""What runs on a node beside its own services: seen, and ended, from the host.

Not by the node's own systemd or sshd: whoever had root there may have broken them. Left alone are
pods, which are the cluster's, and services that were there when the agent came.
"""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.namespaces import start_time
from faultyard.clusters.waiting import wait_for

END_S = 20
PODS = "kubepods"
OWN = ("init.scope", "supervisor")
"""The node's systemd, and systemd-nspawn's part."""
LOGINS = ("ssh.service", "user.slice")


@dataclass(frozen=True)
class Quiet:
    """A node's own services, while nobody is logged in."""

    places: frozenset[str]
    """Cgroups, relative to the node's."""
    daemons: frozenset[tuple[int, int | None]]
    """PID and start time of what is where logins are: sshd itself."""

    def with_services_of(self, healthy: Quiet | None) -> Quiet:
        """Count as the node's own what ran when it was healthy, too.

        Whoever starts a service again that a fault has stopped leaves nothing of theirs behind.
        """
        return self if healthy is None else Quiet(self.places | healthy.places, self.daemons)


def look(cgroup: str) -> Quiet:
    """See what belongs to a node; before an agent comes.

    Args:
        cgroup: the node's.
    """
    top = cgroups.machine_folder(cgroup)
    places = frozenset(str(path.relative_to(top)) for path in top.rglob("*") if path.is_dir())
    logins = (pid for place in places if _has_logins(Path(place)) for pid in _pids(top / place))
    return Quiet(places, frozenset((pid, start_time(pid)) for pid in logins))


def end(cgroup: str, quiet: Quiet) -> None:
    """Kill every process of a node that is neither a pod's nor one of its own services'.

    Args:
        cgroup: the node's.
        quiet: what belongs to it.

    Raises:
        NotReady: new ones came faster than they were killed, for `END_S` seconds.
    """

    def kill() -> tuple[bool | None, str]:
        found = _foreign(cgroup, quiet)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return (None if found else True), f"{len(found)} processes"

    wait_for("what was left running on a node to end", kill, timeout_s=END_S, every_s=0.05)


def _foreign(cgroup: str, quiet: Quiet) -> set[int]:
    top = cgroups.machine_folder(cgroup)
    found: set[int] = set()
    for folder in (path for path in top.rglob("*") if path.is_dir()):
        place = folder.relative_to(top)
        if PODS in place.parts or set(OWN) & set(place.parts):
            continue
        # A process directly in the container's root is nobody's service.
        if _has_logins(place) or str(place) not in quiet.places or place.parts == ("payload",):
            found |= _pids(folder)
    return {pid for pid in found if (pid, start_time(pid)) not in quiet.daemons}


def _has_logins(place: Path) -> bool:
    return bool(set(LOGINS) & set(place.parts))


def _pids(folder: Path) -> set[int]:
    try:
        return {int(pid) for pid in (folder / "cgroup.procs").read_text().split()} - {0}
    except OSError:  # a cgroup that just went
        return set()
