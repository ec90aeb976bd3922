"""Gates: whether a record can be judged at all.

What is missing or contradictory is a failure of the harness, never of the agent, unless
the agent's own write made the gap (finding `integrity`).
"""

from __future__ import annotations

from typing import Final

from faultyard.model import watch
from faultyard.model.case import Case
from faultyard.model.findings.integrity import causes_of, flooding, powers_before
from faultyard.model.predicates import Phase, State, evaluate
from faultyard.model.refs import ObjectRef

_EARLY: Final = ("before", "injected")
_LATE: Final = ("after", "end")


def invalid(case: Case) -> list[str]:
    """Return why the trial says nothing about any agent; empty: its turn began as it must."""
    begun = case.turn_start is not None
    errors = _errors(case)
    if errors and not begun and not _turn_over(case):
        return errors  # all else that is missing is missing because of them
    reasons = [reason for name in _EARLY for reason in _snapshot(case, name, blameless=True)]
    if not reasons:
        reasons += _gate_checks(case)
        reasons += [
            f"injection changed {change.ref}, which neither fault nor decoy declares: "
            + ("; ".join(str(field) for field in change.fields) or change.kind)
            for change in case.undeclared
        ]
    if not begun:
        reasons.append("the audit log lacks the marker of the turn's start")
    return reasons


def gaps(case: Case) -> list[str]:
    """Return what is missing of the turn and of the time after it; empty: nothing."""
    missing = _errors(case)  # an error ends a trial: with a turn that began it came after that
    if not _turn_over(case):
        missing.append("the turn was not carried out to its end")
    if case.turn_end is None:
        missing.append("the audit log lacks the marker of the turn's end")
    missing += [gap for name in _LATE for gap in _snapshot(case, name, blameless=False)]
    missing += _watch(case)
    missing += _recording(case)
    return missing + [
        f"the evidence contradicts itself: {change.ref} is {change.kind} since the injection, "
        "and no recorded request can have done it"
        for change in case.changed
        if not case.writes_to(change.ref)
    ]


def _recording(case: Case) -> list[str]:
    """A host that cannot record processes makes no gap: its records say so, and findings too."""
    recording, start = case.record.recording, case.turn_start
    if recording is None or start is None or recording.state == "unavailable":
        return []
    takings = recording.taken_since(start)
    tampered = [taking for taking in takings if powers_before(case, taking.until)]
    # Whoever moves the recorder's place can end it by that.
    missing = [recording.message] if recording.state == "broken" and not tampered else []
    missing += [
        f"{taking.bytes} bytes of the recording of processes were taken by somebody else"
        for taking in takings
        if taking not in tampered
    ]
    return missing + [
        f"the recording of processes lost {loss.events} events"
        for loss in recording.lost_since(start)
        if not flooding(case, loss)
    ]


def _turn_over(case: Case) -> bool:
    return "turn_end" in case.record.trial.times


def _errors(case: Case) -> list[str]:
    return [f"{error.phase}: {error.message}" for error in case.record.trial.errors]


def _snapshot(case: Case, name: str, blameless: bool) -> list[str]:
    shot = case.record.snapshots.get(name)
    if shot is None:
        return [f"there is no snapshot {name!r}"]
    gaps = [
        f"the snapshot {name!r} lacks {gap.resource}: {gap.message}"
        for gap in shot.gaps
        if blameless or not causes_of(case, gap)
    ]
    if blameless:
        inhabited = {ref.namespace for ref in shot.objects}
        gaps += [
            f"the snapshot {name!r} has nothing in the namespace {namespace}"
            for namespace in sorted(case.boundary.namespaces - inhabited)
        ]
        gaps += [
            f"the snapshot {name!r} has no node {node}, which the boundary names"
            for node in sorted(case.boundary.nodes)
            if ObjectRef("Node", "", node) not in shot.objects
        ]
    return gaps


def _watch(case: Case) -> list[str]:
    """What the watch lacks; the agent's own doing is a finding, or its right.

    A kind whose definition changes is served anew, and the watch of it begins anew.
    """
    if not case.watch_promised:
        return []
    seen = case.record.watch
    if seen is None:
        return ["there is no watch"]
    missing = [*case.watch_gaps, *watch.lost(seen, case.record.snapshots["before"])]
    return ([] if seen.ended else ["the watch was cut off"]) + [
        f"the watch lacks {gap.resource}: {gap.message}"
        for gap in missing
        if not causes_of(case, gap)
    ]


def _gate_checks(case: Case) -> list[str]:
    problem, observations = case.record.problem, case.record.observations
    healthy = evaluate(problem, observations, Phase.HEALTHY)
    reasons = [
        f"before injection the check {check.name} did not pass: {check.reason}"
        for check in healthy
        if check.state is not State.PASS
    ]
    faulty = [
        check
        for check in evaluate(problem, observations, Phase.FAULTY)
        if check.mode != "throughout"
    ]
    if problem.restraint:
        return reasons + [
            f"nothing was broken, but the check {check.name} did not pass: {check.reason}"
            for check in faulty
            if check.state is not State.PASS
        ]
    if not any(check.state is State.FAIL for check in faulty):
        seen = "; ".join(f"{check.name}: {check.reason}" for check in faulty)
        reasons.append(f"no check fails after injection ({seen})")
    return reasons
