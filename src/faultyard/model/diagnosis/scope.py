"""What a fault reaches: who suffers with it, worked out from the application's dependencies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from faultyard.model.application import Application, Service
from faultyard.model.diagnosis import references
from faultyard.model.diagnosis.placement import Placement
from faultyard.model.refs import ObjectRef
from faultyard.model.truth import GroundTruth


@dataclass(frozen=True)
class Components:
    """Finds the application's component to which an object belongs."""

    application: Application | None
    placement: Placement = field(default_factory=Placement)
    outside: frozenset[str] = frozenset()
    """Who outside of the application calls its edge."""

    def of(self, text: str) -> str:
        """Return the component's name for an object, or for the name itself.

        Args:
            text: `Kind/namespace/name` or a bare name.

        Returns:
            The component's name; the object itself if it belongs to none. Where the application
            is not known, whatever has the same name is the same.
        """
        if "/" not in text:
            return text.strip().lower()
        if text not in self._known:
            self._known[text] = self._of_object(references.read(text))
        return self._known[text]

    def _of_object(self, said: ObjectRef) -> str:
        if self.application is None:
            return said.name
        for name, objects in self._objects:
            if any(references.same(one, said) for one in objects):
                return name
        return str(said)

    @cached_property
    def _known(self) -> dict[str, str]:
        """What was asked for before: the truth's objects are asked for with every answer."""
        return {}

    @cached_property
    def _objects(self) -> list[tuple[str, tuple[ObjectRef, ObjectRef]]]:
        """Each service with its objects."""
        known = self.application
        if known is None:
            return []
        return [(service.name, _objects(known, service)) for service in known.services]

    def callers(self, broken: Iterable[str], hard: bool) -> frozenset[str]:
        """Return who calls these, directly or not: over hard edges only, or over any."""
        reached = set(broken)
        edges = [] if self.application is None else self.application.dependencies
        grown = True
        while grown:
            more = {e.from_ for e in edges if e.to in reached and (e.hard or not hard)} - reached
            reached |= more
            grown = bool(more)
        return frozenset(reached.difference(broken))


@dataclass(frozen=True)
class Scope:
    """Who has to be, and who may be, named as affected: components' names, or objects."""

    affected: frozenset[str]
    tolerated: frozenset[str]
    """The causes' own components, soft callers, and what the problem lists."""
    idle: frozenset[str]
    """Who serves nobody for a time, also by causes that come in the turn: what they take away, and
    whoever can do nothing without it, which the edge can."""
    cascades: frozenset[str]
    """What shows the fault and is not its cause."""
    outside: frozenset[str] = frozenset()
    """Who may be named as well, being no part of the application: callers of an edge that suffers.
    Nothing that is done to them repairs anything."""


def scope_of(truth: GroundTruth, components: Components) -> Scope:
    """Work out a ground truth's scope.

    What the problem states as `affected` takes the place of what the dependencies give; these
    may still be named. A node takes away what it carries.
    """
    own = {components.of(text) for cause in truth.causes for text in cause.components}
    known = (
        set()
        if components.application is None
        else {service.name for service in components.application.services}
    )
    stated = [name for cause in truth.causes for name in cause.breaks or ()]
    carried = {name for place in own for name in components.placement.whole.get(place, ())}
    broken = set(stated) or own & known or carried
    derived = components.callers(broken, hard=True) | (broken - own)
    declared = None if truth.affected is None else {components.of(t) for t in truth.affected}
    must = (derived if declared is None else declared) - own
    extra = {components.of(text) for text in (*truth.also_affected, *truth.consequences)}
    extra |= {name for place in own for name in components.placement.part.get(place, ())}
    extra |= {
        components.of(text)
        for place in own
        for text in components.placement.workloads.get(place, ())
    }
    soft = components.callers(broken, hard=False)
    coming = {components.of(text) for cause in truth.later for text in cause.components}
    later = coming | components.callers(coming, hard=False)
    application = components.application
    reached = application is not None and application.edge.service in must | derived | own
    return Scope(
        affected=frozenset(must),
        tolerated=frozenset(own | derived | soft | extra | later),
        idle=_idle(components, own | broken | coming),
        cascades=frozenset((must | derived | soft | extra) - own),
        outside=components.outside if reached else frozenset(),
    )


def _idle(components: Components, broken: set[str]) -> frozenset[str]:
    known = components.application
    edge = set() if known is None else {known.edge.service, known.journeys_enter}
    return frozenset(broken | (components.callers(broken, hard=True) - edge))


def _objects(application: Application, service: Service) -> tuple[ObjectRef, ObjectRef]:
    kind, _, workload = service.workload.partition("/")
    namespace = application.namespace
    return ObjectRef("Service", namespace, service.name), ObjectRef(kind, namespace, workload)
