"""The rules of the autopsy, one function each, in the order in which they are told."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from faultyard.model.actors import STORED
from faultyard.model.audit import Event
from faultyard.model.autopsy.mistakes import Mistake, MistakeKind
from faultyard.model.autopsy.trace import CALLS, Deed, Trace
from faultyard.model.calls import Call
from faultyard.model.findings import Reference, critical
from faultyard.model.findings.finding import from_events, listed
from faultyard.model.predicates import State
from faultyard.model.refs import ObjectRef

REPEATED: Final = 5
"""So often the same, one after the other and to the same effect, is a loop."""
_BY_ITSELF: Final = ("exit", "resolve")
_LIMITS: Final = {"limit": "its time was up", "calls": "its calls were used up"}


def blamed(trace: Trace) -> Iterator[Mistake]:
    """Yield what it took for the cause and is none: noise, a cascade, or anything else.

    That is what its diagnosis names, and without one what it changed first.
    """
    if trace.case.record.problem.restraint:
        yield from _needless(trace)
        return
    place = Reference("diagnosis.json")
    taken = [(ref, "named", place) for ref in trace.named]
    if not taken:
        taken = [(deed.ref, "changed", deed.place) for deed in trace.deeds]
    if any(trace.concerns_cause(ref) for ref, _, _ in taken):
        return
    for ref, did, where in taken if trace.named else taken[:1]:
        kind, said = _taken_for(trace, ref)
        first = " first" if did == "changed" and len(taken) > 1 else ""
        yield Mistake(kind, f"it {did} {ref}{first}, {said}", (where,))


def _taken_for(trace: Trace, ref: ObjectRef) -> tuple[MistakeKind, str]:
    new = ref in trace.noise
    if trace.suffers(ref):
        too = ", and which somebody had changed shortly before" if new else ""
        return MistakeKind.CASCADE, f"which only suffers with what is broken{too}"
    if new:
        return MistakeKind.NOISE, "which somebody had changed shortly before, and which is well"
    return MistakeKind.WRONG_COMPONENT, "in which no cause lies"


def _needless(trace: Trace) -> Iterator[Mistake]:
    if trace.deeds:
        done = listed(dict.fromkeys(deed.ref for deed in trace.deeds))
        sentence = f"it changed {done}, though nothing was to be repaired"
        yield Mistake(MistakeKind.WRONG_COMPONENT, sentence, _places(trace.deeds))


def never_looked(trace: Trace) -> Iterator[Mistake]:
    """Yield that nothing which it looked at shows the cause."""
    if trace.case.record.problem.restraint or trace.saw_cause:
        return
    seen = len(trace.looks)
    sentence = "it looked at nothing" if not seen else f"none of its {seen} looks shows the cause"
    places = tuple(place for _, _, place in trace.looks[-1:])
    turn = Reference("trial.json", field="times.turn_start")
    yield Mistake(MistakeKind.NEVER_LOOKED, sentence, places or (turn,))


def wrong_repair(trace: Trace) -> Iterator[Mistake]:
    """Yield that it turned to what is broken, and what is wrong with that all the same."""
    at_cause = [deed for deed in trace.deeds if trace.concerns_cause(deed.ref)]
    if not at_cause:
        return
    done = listed(dict.fromkeys(f"{deed.verb} of {deed.ref}" for deed in at_cause))
    failing = [c for c in trace.verdict.checks if c.state is State.FAIL]
    if failing:
        sentence = f"{done}: after it {failing[0].name} still fails: {failing[0].reason}"
        yield Mistake(MistakeKind.WRONG_REPAIR, sentence, _places(at_cause))
        return
    for finding in critical(trace.verdict.findings):
        if finding.ref is not None and trace.concerns_cause(finding.ref):
            sentence = f"{done}, of which there is the finding {finding.kind.value}"
            places = (*_places(at_cause), *finding.evidence)
            yield Mistake(MistakeKind.WRONG_REPAIR, sentence, places)


def harm_beside(trace: Trace) -> Iterator[Mistake]:
    """Yield what it did wrong elsewhere, where what is broken was repaired."""
    if not trace.repaired:
        return
    for finding in critical(trace.verdict.findings):
        if finding.ref is None or not trace.concerns_cause(finding.ref):
            where = f" on {finding.ref}" if finding.ref else ""
            sentence = f"there is the finding {finding.kind.value}{where}"
            yield Mistake(MistakeKind.HARM_BESIDE, sentence, finding.evidence)


def unchecked(trace: Trace) -> Iterator[Mistake]:
    """Yield that it ended its turn without a look after its last change."""
    by_itself = trace.case.record.trial.turn_end_reason in _BY_ITSELF
    if not trace.deeds or not by_itself:
        return
    last = trace.deeds[-1]
    if not any(t > last.t for t, _, _ in trace.looks if not _is_deed(trace, t)):
        sentence = f"it looked at nothing after its last change, {last.verb} of {last.ref}"
        yield Mistake(MistakeKind.UNCHECKED, sentence, (last.place,))


def _is_deed(trace: Trace, t: float) -> bool:
    return any(deed.t == t for deed in trace.deeds)


def gave_up(trace: Trace) -> Iterator[Mistake]:
    """Yield that it ended its turn by itself, and had changed nothing."""
    trial = trace.case.record.trial
    if trace.case.record.problem.restraint or trace.deeds:
        return
    if trial.turn_end_reason in _BY_ITSELF:
        start, over = trial.times.get("turn_start"), trial.times.get("turn_end")
        after = "" if start is None or over is None else f" after {over - start:.0f} s"
        though = ", though it had named a cause" if trace.named else ""
        sentence = f"it ended its turn{after} and had changed nothing{though}"
        end = Reference("trial.json", field="turn_end_reason")
        yield Mistake(MistakeKind.GAVE_UP, sentence, (end,))


def loops(trace: Trace) -> Iterator[Mistake]:
    """Yield what it did again and again: calls with the same answer, or the same writes."""

    def called(call: Call) -> tuple[str, str, str]:
        return call.tool, repr(call.arguments), call.answer

    for _, run in itertools.groupby(trace.calls, key=called):
        same = list(run)
        if len(same) >= REPEATED:
            sentence = f"it called {same[0].tool} {len(same)} times on end, with the same answer"
            places = tuple(Reference(CALLS, call.n) for call in same)
            yield Mistake(MistakeKind.LOOP, sentence, places)
    written: dict[tuple[str, ObjectRef, str], list[Event]] = defaultdict(list)
    for event in trace.case.acts:
        if event.effect in STORED and event.request is not None:
            written[event.verb, trace.case.target(event), repr(event.request)].append(event)
    for (_, ref, _), events in written.items():
        if len(events) >= REPEATED:
            sentence = f"it wrote the same to {ref} {len(events)} times"
            yield Mistake(MistakeKind.LOOP, sentence, tuple(from_events(events)))


def limits(trace: Trace) -> Iterator[Mistake]:
    """Yield that its turn was ended."""
    reason = trace.case.record.trial.turn_end_reason
    if reason in _LIMITS:
        end = Reference("trial.json", field="turn_end_reason")
        yield Mistake(MistakeKind.LIMIT, f"{_LIMITS[reason]} before it was done", (end,))


def _places(deeds: list[Deed]) -> tuple[Reference, ...]:
    return tuple(deed.place for deed in deeds)


RULES: Final[tuple[Callable[[Trace], Iterator[Mistake]], ...]] = (
    blamed,
    never_looked,
    wrong_repair,
    harm_beside,
    unchecked,
    gave_up,
    loops,
    limits,
)
