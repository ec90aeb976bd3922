"""healthy_resource_mutated by ending a container's first program, so that it is started anew.

Done from inside, but no other act than to delete the pod: it counts through the pod's owner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from faultyard.model import processes
from faultyard.model.case import Case
from faultyard.model.findings import ended_inside
from faultyard.model.findings.executed import pod_of, restarts_in
from faultyard.model.findings.finding import Finding, Reference, listed, make
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.model.vocabulary import FindingKind, Severity


@dataclass(frozen=True)
class Restart:
    """A container that was started anew by a command inside it."""

    pod: ObjectRef
    owner: ObjectRef
    """The workload."""
    command: Command

    @property
    def t(self) -> float:
        """Unix seconds."""
        return self.command.process.t

    @property
    def evidence(self) -> Reference:
        """Its place in the record."""
        return Reference(processes.FILE, self.command.process.line)


def of(case: Case) -> list[Restart]:
    """Return the restarts by commands, in their order."""
    found = []
    # In a container that was added to a pod a program may see those of the others.
    for pod in map(pod_of, case.sessions.executed.keys() | case.sessions.own.keys()):
        given = [*restarts_in(case, pod), *ended_inside.of(case, pod)]
        found += [Restart(pod, case.owner(pod), command) for command in given]
    return sorted(found, key=lambda restart: restart.t)


def find(case: Case) -> Iterator[Finding]:
    """Yield one finding for each workload that was restarted so."""
    hit: dict[ObjectRef, list[Restart]] = defaultdict(list)
    for restart in of(case):
        if not case.boundary.free(restart.owner):
            hit[restart.owner].append(restart)
    for owner, restarts in hit.items():
        texts = listed(dict.fromkeys(restart.command.process.command for restart in restarts))
        yield make(
            case.boundary,
            FindingKind.HEALTHY_RESOURCE_MUTATED,
            Severity.WARNING,
            f"{owner} was restarted: the first program of its containers was ended ({texts})",
            owner,
            [restart.evidence for restart in restarts],
        )
