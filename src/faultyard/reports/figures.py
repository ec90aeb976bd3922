"""The users' figures as a report shows them: second by second, and by phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from faultyard.model.actors import Actor
from faultyard.model.audit import Effect
from faultyard.model.case import Case
from faultyard.model.client import Second, Summary, Window, summarise
from faultyard.model.problem import RenderedProblem
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Severity
from faultyard.reports.clock import Clock, Milestone

_PHASES: Final = (
    ("start, until users were served", "", False),
    ("before the fault", "healthy_from", True),
    ("after the injection", "injected", True),
    ("the agent's turn", "turn_start", True),
    ("recovery", "turn_end", False),
    ("hold", "hold_start", True),
    ("after the hold", "hold_end", False),
)
"""Each lasts until the next one begins, so that every second is in one: what it is called, the
moment of its begin, and whether it is shown without figures too."""
_OF_RESTRAINT: Final = {
    "before the fault": "before the benign changes",
    "after the injection": "after the benign changes",
}


@dataclass(frozen=True)
class Objectives:
    """What users were promised; None: the problem has no such check."""

    success_rate: float | None
    p99_ms: float | None


@dataclass(frozen=True)
class PhaseFigures:
    """One phase of the trial."""

    name: str
    summary: Summary | None
    """None: the phase was not reached, or no second ended in it."""
    journeys: tuple[float | None, ...]
    """The success rate of each journey, in the order of `journey_names`."""


def objectives(problem: RenderedProblem) -> Objectives:
    """Return the objectives of the problem's first check on users' figures."""
    for check in problem.checks:
        if check.kind == "client_slo":
            return Objectives(check.with_.get("success_rate"), check.with_.get("p99_ms"))
    return Objectives(None, None)


def journey_names(seconds: Sequence[Second]) -> list[str]:
    """Return the names of all journeys."""
    return sorted({name for second in seconds for name in second.journeys})


def phases(case: Case) -> list[PhaseFigures]:
    """Return the figures of every phase; a second is in the one in which it ends."""
    seconds = case.record.observations.seconds
    begins = _begins(case)
    windows: dict[str, list[Second]] = {name: [] for name, _, _ in _PHASES}
    for second in seconds:
        windows[[name for name, at in begins if at < second.t + 1][-1]].append(second)
    journeys = journey_names(seconds)
    found = []
    for name, _, always in _PHASES:
        seen = _seen(windows[name])
        if seen is None and not always:
            continue
        rates = tuple(_rate(seen, journey) for journey in journeys)
        told = _OF_RESTRAINT.get(name, name) if case.record.problem.restraint else name
        found.append(PhaseFigures(told, summarise(seen) if seen else None, rates))
    return found


def injected_at(case: Case) -> float | None:
    """Return when the fault was written; None: it never was.

    The trial notes a moment too, after the benign changes that follow the fault; users feel it
    earlier. Faults that leave nothing in the log have only that.
    """
    logged = _logged_injection(case)
    return case.record.trial.times.get("injected") if logged is None else logged


def is_dated_by_the_trial(case: Case) -> bool:
    """Whether the log does not tell of the fault, so that users may have felt it before."""
    return _logged_injection(case) is None and injected_at(case) is not None


def _logged_injection(case: Case) -> float | None:
    trial, start = case.record.trial, case.turn_start
    faults = {change.ref for change in trial.declared_changes if change.by == "fault"}
    since = case.record.snapshots["before"].taken_at if "before" in case.record.snapshots else 0
    written = [
        event.received
        for event in case.record.events
        if event.effect is Effect.WRITE
        and event.received >= since
        and (start is None or event.received < start)
        and case.actor(event) in (Actor.OTHER, Actor.HARNESS)
        and case.target(event) in faults
    ]
    return min(written, default=None)


def failed_since_injection(case: Case) -> tuple[int, int] | None:
    """Return how many journeys failed since the injection, and of how many; None: no fault."""
    injected = injected_at(case)
    if injected is None:
        return None
    since = [second for second in case.record.observations.seconds if second.t + 1 > injected]
    failed = sum(each.failed for second in since for each in second.journeys.values())
    ok = sum(each.ok for second in since for each in second.journeys.values())
    return failed, failed + ok


def chart(
    case: Case, verdict: Verdict, reports: Iterable[Milestone], clock: Clock
) -> dict[str, Any]:
    """Return what the page's charts draw; moments are seconds on the clock."""
    times, wanted = case.record.trial.times, objectives(case.record.problem)
    injected = injected_at(case)
    points = [_point(second) for second in case.record.observations.seconds]
    return {
        "origin": clock.origin,
        "t": [clock.seconds(second.t) for second in case.record.observations.seconds],
        "success": [None if rate is None else round(rate * 100, 2) for rate, _, _ in points],
        "p50": [p50 for _, p50, _ in points],
        "p99": [p99 for _, _, p99 in points],
        "objectives": {
            "success": None if wanted.success_rate is None else wanted.success_rate * 100,
            "p99": wanted.p99_ms,
        },
        "injected": None if injected is None else clock.seconds(injected),
        "bands": [
            {"name": name, "from": clock.seconds(times[start]), "to": clock.seconds(times[end])}
            for name, start, end in (
                ("turn", "turn_start", "turn_end"),
                ("hold", "hold_start", "hold_end"),
            )
            if start in times and end in times
        ]
        + _busy(case, clock),
        "acts": _acts(case, verdict, clock),
        "reports": [{"t": clock.seconds(one.received), "what": one.report} for one in reports],
    }


def _busy(case: Case, clock: Clock) -> list[dict[str, Any]]:
    """Return the bands of seconds in which users may have waited for other work on the host."""
    observed = case.record.observations
    spans: list[list[int]] = []
    for second in observed.seconds:
        host = observed.host.get(second.t)
        if host is None or not host.disturbing:
            continue
        if spans and spans[-1][1] == second.t:
            spans[-1][1] += 1
        else:
            spans.append([second.t, second.t + 1])
    return [
        {"name": "busy", "from": clock.seconds(start), "to": clock.seconds(end)}
        for start, end in spans
    ]


def _acts(case: Case, verdict: Verdict, clock: Clock) -> list[dict[str, Any]]:
    """Return the moments of what was not only read, and how much each weighs."""
    weights: dict[int | None, str] = {}
    for finding in reversed(verdict.findings):  # the critical ones come first and count most
        critical = finding.severity is Severity.CRITICAL
        for place in finding.evidence:
            if place.file != "audit.jsonl":
                continue
            weights[place.line] = "critical" if critical else "warning"
    shown = (Effect.WRITE, Effect.UNCERTAIN, Effect.OPAQUE, Effect.DENIED)
    return [
        {"t": clock.seconds(event.received), "weight": weights.get(event.line, "plain")}
        for event in case.acts
        if event.effect in shown
    ]


def _point(second: Second) -> tuple[float | None, float | None, float | None]:
    summary = summarise(Window(second.t, second.t + 1, (second,), ()))
    return summary.success_rate, summary.p50_ms, summary.p99_ms


def _begins(case: Case) -> list[tuple[str, float]]:
    """Return the phases that were reached, with when they began."""
    injected = injected_at(case)
    times = dict(case.record.trial.times) | ({} if injected is None else {"injected": injected})
    times[""] = -inf
    return [(name, times[begin]) for name, begin, _ in _PHASES if begin in times]


def _seen(seconds: Sequence[Second]) -> Window | None:
    if not seconds:
        return None
    return Window(seconds[0].t, seconds[-1].t + 1, tuple(seconds), ())


def _rate(seen: Window | None, journey: str) -> float | None:
    if seen is None or not any(journey in second.journeys for second in seen.seconds):
        return None
    return summarise(seen, [journey]).success_rate
