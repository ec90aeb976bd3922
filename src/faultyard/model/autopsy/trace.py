"""What an agent looked at, what it named as the cause, and what it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from faultyard.model.actors import STORED
from faultyard.model.audit import Effect, Event
from faultyard.model.calls import Call
from faultyard.model.case import Case
from faultyard.model.diagnosis import references
from faultyard.model.diagnosis.grading import grounds_of
from faultyard.model.diagnosis.questions import Grounds
from faultyard.model.findings import Reference, opaque
from faultyard.model.findings.finding import from_events
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.model.truth import TrueCause
from faultyard.model.verdict import Verdict

CALLS = "agent/calls.jsonl"


@dataclass(frozen=True)
class Deed:
    """Something that the agent changed, or may have changed, and when."""

    t: float
    ref: ObjectRef
    """Pods and the like count through the workload that they belong to."""
    verb: str
    place: Reference


@dataclass(frozen=True)
class Trace:
    """A turn of an agent, beside what was broken.

    Args:
        case: the trial.
        verdict: on it.
        calls: of its tools.
    """

    case: Case
    verdict: Verdict
    calls: tuple[Call, ...]

    @cached_property
    def grounds(self) -> Grounds:
        """What was broken, and who suffered with it."""
        return grounds_of(self.case.record)

    @property
    def _true(self) -> tuple[TrueCause, ...]:
        truth = self.grounds.truth
        return (*truth.causes, *truth.later)

    @cached_property
    def causes(self) -> frozenset[ObjectRef]:
        """The objects in which a cause lies, or that a fault has changed."""
        stated = {text for cause in self._true for text in cause.components}
        changed = {c.ref for c in self.case.record.trial.declared_changes if c.by == "fault"}
        return frozenset(map(ObjectRef.parse, stated)) | changed

    @cached_property
    def broken(self) -> frozenset[str]:
        """The application's components in which a cause lies."""
        return frozenset(self.grounds.components.of(str(ref)) for ref in self.causes)

    @cached_property
    def noise(self) -> frozenset[ObjectRef]:
        """What others changed around the fault, and is well."""
        declared = self.case.record.trial.declared_changes
        return frozenset(c.ref for c in declared if c.by == "decoy") - self.causes

    def concerns_cause(self, ref: ObjectRef) -> bool:
        """Tell whether an object is broken, made of it, or of the same component."""
        if any(references.same(cause, ref) for cause in self.causes):
            return True
        return self.grounds.components.of(str(ref)) in self.broken

    def suffers(self, ref: ObjectRef) -> bool:
        """Tell whether an object shows the fault without being its cause."""
        return self.grounds.components.of(str(ref)) in self.grounds.scope.cascades

    @cached_property
    def named(self) -> list[ObjectRef]:
        """What its diagnosis names as causes."""
        recorded = self.case.record.diagnosis
        causes = recorded.diagnosis.causes if recorded else []
        return [references.read(cause.component) for cause in causes if cause.component]

    @cached_property
    def deeds(self) -> list[Deed]:
        """What it changed, or did where nobody saw what, in order."""
        done = [
            self._deed(event)
            for event in self.case.acts
            if event.effect in (*STORED, Effect.OPAQUE) and self._counts(event)
        ]
        for node, commands in self.case.sessions.on_nodes.items():
            ref = ObjectRef("Node", "", node)
            done += [_command(ref, one) for one in commands if one.as_root and not one.telling]
        return sorted(done, key=lambda deed: deed.t)

    def _counts(self, event: Event) -> bool:
        """Leave out what is known to look only."""
        return event.effect is not Effect.OPAQUE or event in self._unexplained

    @cached_property
    def _unexplained(self) -> list[Event]:
        return opaque.unexplained(self.case)

    def _deed(self, event: Event) -> Deed:
        ref = self.case.owner(self.case.target(event), event)
        verb = f"{event.verb} {event.subresource}".strip()
        return Deed(event.received, ref, verb, from_events([event])[0])

    @cached_property
    def looks(self) -> list[tuple[float, ObjectRef | None, Reference]]:
        """When it looked at what; None: at something that names no object."""
        found: list[tuple[float, ObjectRef | None, Reference]] = [
            (event.received, self.case.target(event), from_events([event])[0])
            for event in self.case.acts
            if event.effect is Effect.READ
            and event.username == self.case.record.trial.identity.username
        ]
        found += [(call.t, None, Reference(CALLS, call.n)) for call in self.calls]
        for node, commands in self.case.sessions.on_nodes.items():
            ref = ObjectRef("Node", "", node)
            found += [(c.process.t, ref, _place(c)) for c in commands if c.telling]
        for pod, sessions in self.case.sessions.executed.items():
            namespace, _, name = pod.partition("/")
            ref = self.case.owner(ObjectRef("Pod", namespace, name))
            found += [(c.process.t, ref, _place(c)) for given in sessions for c in given]
        return sorted(found, key=lambda look: look[0])

    @cached_property
    def saw_cause(self) -> bool:
        """Whether it looked at anything that shows a cause."""
        if any(ref is not None and self._shows(ref) for _, ref, _ in self.looks):
            return True
        words = {ref.name for ref in self.causes} | self.broken
        return any(_mentions(call, words) for call in self.calls)

    def _shows(self, ref: ObjectRef) -> bool:
        if ref.name == "*":  # a whole collection
            return any(
                cause.kind == ref.kind and ref.namespace in ("", cause.namespace)
                for cause in self.causes
            )
        return self.concerns_cause(self.case.owner(ref))

    @property
    def repaired(self) -> bool:
        """Whether every check passes at the end."""
        return all(check.state == "pass" for check in self.verdict.checks)


def _mentions(call: Call, words: Iterable[str]) -> bool:
    said = json.dumps(call.arguments) + call.answer
    return any(word in said for word in words)


def _command(ref: ObjectRef, command: Command) -> Deed:
    return Deed(command.process.t, ref, command.process.command, _place(command))


def _place(command: Command) -> Reference:
    return opaque.from_commands([command])[0]
