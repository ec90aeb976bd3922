"""A case: one record, arranged for the questions that findings ask.

Audit log and snapshots are two witnesses. The log says who wrote to what; the snapshots
say what was left of it. Neither is believed without the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from faultyard.model import audit, node_state, watch
from faultyard.model.actors import STORED, Actor, Actors, actors, addresses, closing
from faultyard.model.audit import Effect, Event
from faultyard.model.boundary import Boundary, compile_boundary
from faultyard.model.deletions import told_apart
from faultyard.model.diff import ChangeKind, ObjectChange, compare, compare_object
from faultyard.model.known_good import known_good, undeclared
from faultyard.model.node_state import NodeChange
from faultyard.model.normal import CONTROLLED_KINDS, NormalObject, Seen, controller_of, normalise
from faultyard.model.passing import Passing, passing
from faultyard.model.pod_makers import PodMakers
from faultyard.model.record import Record
from faultyard.model.refs import ObjectRef
from faultyard.model.services import served
from faultyard.model.sessions import Sessions
from faultyard.model.snapshots import Gap, ResourceKind
from faultyard.model.unanswered import settled
from faultyard.model.writes import Writes, creations

_CONTROLLED_BY_HASH = "ReplicaSet"


@dataclass(frozen=True)
class Case:
    """One record with its boundary; everything else is worked out on demand."""

    record: Record
    boundary: Boundary

    @cached_property
    def kinds(self) -> Mapping[tuple[str, str], ResourceKind]:
        """Kinds by API group and resource, over all snapshots and the watch."""
        tables = [shot.kinds for shot in self.record.snapshots.values()]
        watched = self.record.watch.kinds if self.record.watch else {}
        return audit.kinds_in([watched, *tables])

    @cached_property
    def turn_start(self) -> float | None:
        """When the turn's first marker came in; None: it is missing."""
        found = audit.marker(self.record.events, self.record.trial.markers.turn_start)
        return found.received if found else None

    @cached_property
    def turn_end(self) -> float | None:
        """When the turn's second marker came in: from then on the agent was refused."""
        found = audit.marker(self.record.events, self.record.trial.markers.turn_end)
        return found.received if found else None

    @cached_property
    def _actors(self) -> Actors:
        start, trial, events = self.turn_start, self.record.trial, self.record.events
        earlier = [e for e in events if start is None or e.received < start]
        later = events[len(earlier) :]
        closed = closing(trial, later, self.target, self.turn_end)
        return actors(trial, earlier, later, addresses(self.record.snapshots), closed)

    @cached_property
    def sessions(self) -> Sessions:
        """The agent's commands on nodes and in pods."""
        made = self.pod_makers.pods
        return Sessions(self.record.processes, self.record.recording, self.turn_start, made)

    @cached_property
    def pod_makers(self) -> PodMakers:
        """Which pods run what the agent decided, whoever made them."""
        left = frozenset(change.ref for change in self.left_wrong)
        return PodMakers(self.record, self.boundary, self.acts, self.target, left)

    def actor(self, event: Event) -> Actor:
        """Return whose request an event is."""
        return self._actors.of(event)

    def target(self, event: Event) -> ObjectRef:
        """Return the object that a request was about."""
        return audit.target(event, self.kinds)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All requests; what was stored though it ended in an error is as an accepted write."""
        start = self.record.snapshots.get("before")
        return tuple(settled(self.record.events, self.record.watch, start, self.target))

    @cached_property
    def acts(self) -> tuple[Event, ...]:
        """Requests since the turn began, by the agent or by anyone who had no business then."""
        start = self.turn_start
        if start is None:
            return ()
        suspects = (Actor.AGENT, Actor.OTHER)
        theirs = (e for e in self.events if self.actor(e) in suspects)
        return tuple(told_apart(e for e in theirs if e.received >= start))

    @cached_property
    def creations(self) -> Mapping[ObjectRef, list[Event]]:
        """Requests to make a pod, whoever's and whatever came of them, by the pod."""
        return creations(self.events)

    @cached_property
    def injected(self) -> dict[ObjectRef, NormalObject]:
        """State *injected*; empty if it was not taken."""
        return self._state("injected")

    @cached_property
    def end(self) -> dict[ObjectRef, NormalObject]:
        """State *end*; empty if it was not taken."""
        return self._state("end", self._made_by_agent)

    @cached_property
    def served(self) -> frozenset[ObjectRef]:
        """Pods to which Services send requests at the end; none if it was not taken."""
        shot = self.record.snapshots.get("end")
        return served(shot) if shot else frozenset()

    @cached_property
    def _made_by_agent(self) -> frozenset[ObjectRef]:
        """Objects that the agent created; an apply that creates is answered 201 too."""
        return frozenset(
            self.target(e)
            for e in self.acts
            if e.effect is Effect.WRITE
            and (e.verb == "create" or e.code == 201)
            and not e.subresource
            and self.actor(e) is Actor.AGENT
        )

    @cached_property
    def _normal(self) -> Seen:
        return {}

    @cached_property
    def known_good(self) -> dict[ObjectRef, NormalObject]:
        """What this trial would be without its fault."""
        declared = self.record.trial.declared_changes
        return known_good(self._state("before"), self.injected, declared)

    @cached_property
    def undeclared(self) -> list[ObjectChange]:
        """What injection changed though nobody declared it."""
        declared = self.record.trial.declared_changes
        return undeclared(self._state("before"), self.injected, declared)

    @cached_property
    def complete(self) -> bool:
        """All snapshots that findings compare are there."""
        return {"before", "injected", "end"} <= self.record.snapshots.keys()

    @cached_property
    def changed(self) -> list[ObjectChange]:
        """What differs between *injected* and *end*, whoever did it."""
        return compare(self.injected, self.end) if self.complete else []

    @cached_property
    def left_wrong(self) -> list[ObjectChange]:
        """What differs from known-good at the end and was not so when the turn began."""
        found = []
        for since in self.changed:
            change = compare_object(
                since.ref, self.known_good.get(since.ref), self.end.get(since.ref)
            )
            if change is None:
                continue
            if since.kind is not ChangeKind.ADDED:
                change = _only_since(change, since)
            if not change.empty:
                found.append(change)
        return found

    @property
    def watch_promised(self) -> bool:
        """Whether a record of this schema, that got so far, has a watch."""
        return self.record.trial.schema_ > 1 and "before" in self.record.snapshots

    @cached_property
    def watch_gaps(self) -> list[Gap]:
        """Kinds that the watch did not follow to the end, by its own word or by the snapshots."""
        seen, shots = self.record.watch, self.record.snapshots
        if seen is None:
            return []
        whole = {"before", "end"} <= shots.keys()
        return [*seen.gaps, *(watch.unseen(seen, shots["before"], shots["end"]) if whole else ())]

    @cached_property
    def passing(self) -> list[Passing]:
        """What was other than it is since *injected*, or came and went; see `passing`."""
        if self.record.watch is None or not self.complete:
            return []
        first, last = (self.record.snapshots[name] for name in ("injected", "end"))
        changes = [
            change
            for change in self.record.watch.changes
            if first.taken_at <= change.t <= last.taken_at
            and change.ref not in self.record.trial.session_refs
        ]
        return passing(changes, first, self.injected, self.end)

    @cached_property
    def node_changes(self) -> list[NodeChange]:
        """What is other on nodes, beside the cluster, than when the turn began, whoever did it."""
        states = self.record.nodes
        if not {"injected", "after"} <= states.keys():
            return []
        return list(node_state.compare(states["injected"], states["after"]))

    def writes_to(self, ref: ObjectRef) -> list[Event]:
        """Return the recorded writes that can explain a change since *injected*.

        Whoever made them: to the object itself, its collection, its owner, its namespace.
        """
        return self._writes.reaching(ref, self._owners(ref))

    def raw_known_good(self, ref: ObjectRef) -> Mapping[str, Any] | None:
        """Return the raw object that was right: *before* where the fault touched it."""
        declared = self.record.trial.declared_changes
        faulty = any(c.ref == ref and c.by == "fault" and not c.later for c in declared)
        return self.record.snapshots["before" if faulty else "injected"].objects.get(ref)

    def owner(self, ref: ObjectRef, event: Event | None = None) -> ObjectRef:
        """Return the workload that an object belongs to in the end; itself if to none."""
        raw = self.any_raw(ref) or (event.response if event else None) or {}
        controller = controller_of(raw) if ref.kind in CONTROLLED_KINDS else None
        if controller is None:
            return ref
        kind, name = controller
        above = ObjectRef(kind, ref.namespace, name)
        if kind == _CONTROLLED_BY_HASH and self.any_raw(above) is None:
            # A replica set that came and went between snapshots: named after its Deployment.
            return ObjectRef("Deployment", ref.namespace, name.rpartition("-")[0] or name)
        return self.owner(above)

    def any_raw(self, ref: ObjectRef) -> Mapping[str, Any] | None:
        """Return an object as the first snapshot that has it shows it, else the watch.

        None: neither has.
        """
        for shot in self.record.snapshots.values():
            if ref in shot.objects:
                return shot.objects[ref]
        return self._watched.get(ref)

    @cached_property
    def _watched(self) -> dict[ObjectRef, Mapping[str, Any]]:
        """Each object as the watch first saw it."""
        changes = self.record.watch.changes if self.record.watch else ()
        return {change.ref: change.raw for change in reversed(changes)}

    @cached_property
    def _writes(self) -> Writes:
        """What was stored since *injected*; an object's status is its controllers' business.

        Whoever has none may have written something else there, such as labels.
        """
        since, suspects = self.record.snapshots["injected"].taken_at, (Actor.AGENT, Actor.OTHER)
        stored = (e for e in self.events if e.effect in STORED and e.received >= since)
        own = (e for e in stored if e.subresource != "status" or self.actor(e) in suspects)
        return Writes((e for e in own if not self._deploy(e)), self.target)

    def _deploy(self, event: Event) -> bool:
        """People's deploys before the turn, the fault among them, explain nothing after it."""
        start = self.turn_start
        return self.actor(event) is Actor.OTHER and start is not None and event.received < start

    def _owners(self, ref: ObjectRef) -> set[ObjectRef]:
        raw = self.any_raw(ref) or {}
        owners = (raw.get("metadata") or {}).get("ownerReferences") or ()
        return {ObjectRef(str(o["kind"]), ref.namespace, str(o["name"])) for o in owners}

    def _state(
        self, name: str, shown: frozenset[ObjectRef] = frozenset()
    ) -> dict[ObjectRef, NormalObject]:
        shot = self.record.snapshots.get(name)
        skip = self.record.trial.session_refs
        return normalise(shot, skip, shown, self._normal) if shot else {}


def open_case(record: Record) -> Case:
    """Arrange a record."""
    return Case(record, compile_boundary(record.problem))


def _only_since(change: ObjectChange, since: ObjectChange) -> ObjectChange:
    """Leave out what the fault left and nobody touched: it is not repaired, not mutated."""
    touched = {field.path for field in since.fields}
    kept = tuple(field for field in change.fields if field.path in touched)
    return ObjectChange(change.ref, change.kind, kept)
