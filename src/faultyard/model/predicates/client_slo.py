"""client_slo: users are served, as measured at the client through a whole window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from faultyard.model.client import (
    MAX_LATENESS_MS,
    JourneyFigures,
    Second,
    Summary,
    Window,
    summarise,
    window,
)
from faultyard.model.host import HostSecond, undisturbed
from faultyard.model.predicates.checking import Answer, Occasion, Phase, State, predicate
from faultyard.model.strict import Strict

GATE_S: Final = 5
"""Seconds that a window before or after injection has at least; shorter ones say nothing."""

_BOUNDED: Final = ("success_rate", "p99_ms")
"""What an objective bounds."""

_BROKEN_OFF: Final[Mapping[str, str]] = {
    "healthy_from": "its users were served as they must be",
    "healthy_to": "its users were served as they must be",
    "fault_visible_from": "its users could see the fault",
    "fault_visible_to": "its users could see the fault",
    "turn_start": "the agent's turn",
    "turn_end": "the end of the agent's turn",
    "hold_start": "the hold, in which users are watched after the turn",
    "hold_end": "the end of the hold, in which users are watched after the turn",
}
"""What a trial without this moment did not come to."""


class ClientSlo(Strict):
    """`with:` of a client_slo check."""

    success_rate: Annotated[float, Field(gt=0, le=1)]
    """Least share of journeys that succeed."""
    p99_ms: Annotated[float, Field(gt=0)]
    """Largest 99th percentile of a journey's duration, milliseconds."""
    window_s: Annotated[float, Field(ge=GATE_S)] = 30
    """Least length of a hold window, seconds."""
    journeys: list[str] | None = None
    """Only these journeys, each by itself; default: all together."""
    max_lateness_ms: Annotated[float, Field(gt=0)] = MAX_LATENESS_MS
    """If the load generator itself was later than this, its figures are not believed."""


@predicate("client_slo", ClientSlo, frozenset({"hold", "throughout"}))
def client_slo(wanted: ClientSlo, occasion: Occasion) -> Answer:
    """Judge the users' figures of the phase's window."""
    start_name, end_name, least = _window(wanted, occasion)
    times = occasion.observations.times
    missing = [name for name in (start_name, end_name) if name not in times]
    if missing:
        return Answer(State.ERROR, f"the trial was broken off before {_BROKEN_OFF[missing[0]]}")
    start, end = times[start_name], times[end_name]
    # Only whole seconds count, so that a window may lose one at each end.
    seen = window(occasion.observations.seconds, start, end)
    if end - start < least - 0.01:
        return Answer(State.ERROR, f"the window has {end - start:.1f} s instead of {least:.0f} s")
    groups = [None] if wanted.journeys is None else [[name] for name in wanted.journeys]
    host = occasion.observations.host
    return _worst([_believed(wanted, seen, group, host) for group in groups])


def _believed(
    wanted: ClientSlo, seen: Window, group: list[str] | None, host: Mapping[int, HostSecond]
) -> Answer:
    """Judge; a failure counts only, and always, if it shows in the seconds that are believed."""
    whose = group[0] if group else "all journeys"
    answer = _judge(wanted, summarise(seen, group), whose)
    good = tuple(second for second in seen.seconds if _good(second, wanted, host))
    whole = len(seen.seconds) + len(seen.missing)
    if answer.state is State.PASS or len(good) == whole:
        return answer
    rest = _judge(wanted, summarise(replace(seen, seconds=good, missing=()), group), whose)
    shown = len(good) >= GATE_S and rest.state is State.FAIL
    if answer.state is State.ERROR:
        best = _judge(wanted, summarise(_at_best(seen, good), group), whose)
        if not shown or best.state is not State.FAIL:
            return answer
        reason = (
            f"{rest.reason}, in {len(good)} of {whole} seconds, and the others could not make up "
            f"for it, though {answer.reason}"
        )
        best_figures = {f"{name}_at_best": best.figures[name] for name in _BOUNDED}
        return Answer(State.FAIL, reason, {**rest.figures, **best_figures})
    if shown:
        return answer
    reason = (
        f"{answer.reason}; but in {whole - len(good)} of {whole} seconds the host was busy "
        "with other work, or not seen, and the rest does not show a failure"
    )
    return Answer(State.ERROR, reason, answer.figures)


def _good(second: Second, wanted: ClientSlo, host: Mapping[int, HostSecond]) -> bool:
    """Whether neither the generator's lateness nor the host's other work is in the figures."""
    on_time = second.lateness_ms <= wanted.max_lateness_ms
    return on_time and undisturbed(second.t, host, second.longest_ms)


def _at_best(seen: Window, good: tuple[Second, ...]) -> Window:
    """Return the window as if all had gone well in the seconds that are not believed.

    In one that was not seen as many journeys started as in any other at most.
    """
    names = {name for second in seen.seconds for name in second.journeys}
    most = {name: max(_started(second, name) for second in seen.seconds) for name in names}
    believed = {second.t for second in good}
    doubted = [second for second in seen.seconds if second.t not in believed]
    perfect = [_perfect(s.t, {name: _started(s, name) for name in s.journeys}) for s in doubted]
    perfect += [_perfect(t, most) for t in seen.missing]
    return replace(seen, seconds=(*good, *perfect), missing=())


def _started(second: Second, journey: str) -> int:
    figures = second.journeys.get(journey)
    return figures.ok + figures.failed if figures else 0


def _perfect(t: int, started: Mapping[str, int]) -> Second:
    journeys = {name: JourneyFigures(n, 0, (0.0,) * n, {}) for name, n in started.items()}
    return Second(t, journeys, lateness_ms=0, in_flight=0)


def _window(wanted: ClientSlo, occasion: Occasion) -> tuple[str, str, float]:
    if occasion.phase is Phase.HEALTHY:
        return "healthy_from", "healthy_to", GATE_S
    if occasion.phase is Phase.FAULTY:
        return "fault_visible_from", "fault_visible_to", GATE_S
    if occasion.mode == "throughout":
        return "turn_start", "turn_end", 0
    return "hold_start", "hold_end", wanted.window_s


def _judge(wanted: ClientSlo, summary: Summary, whose: str) -> Answer:
    figures = {
        "journeys": whose,
        "success_rate": None if summary.success_rate is None else round(summary.success_rate, 5),
        "ok": summary.ok,
        "failed": summary.failed,
        "p50_ms": summary.p50_ms,
        "p99_ms": summary.p99_ms,
        "seconds": summary.seconds,
        "max_lateness_ms": summary.max_lateness_ms,
        "errors": dict(summary.errors),
    }
    doubt = summary.unreliable(wanted.max_lateness_ms)
    if doubt is not None:
        return Answer(State.ERROR, doubt, figures)
    rate, p99 = summary.success_rate, summary.p99_ms
    if rate is None:
        return Answer(State.ERROR, f"{whose}: nothing was started in the window", figures)
    said = f"{whose}: {rate:.2%} of {summary.ok + summary.failed} journeys succeeded"
    if rate < wanted.success_rate:
        return Answer(State.FAIL, f"{said}, wanted {wanted.success_rate:.2%}", figures)
    if p99 is None or p99 > wanted.p99_ms:
        shown = "unknown" if p99 is None else f"{p99:.0f} ms"
        return Answer(
            State.FAIL, f"{said}, but p99 is {shown}, wanted {wanted.p99_ms:.0f} ms", figures
        )
    return Answer(State.PASS, f"{said}, p99 {p99:.0f} ms", figures)


def _worst(answers: list[Answer]) -> Answer:
    """Return a failure before an error before a pass: what was measured decides first."""
    order = (State.FAIL, State.ERROR, State.PASS)
    return min(answers, key=lambda answer: order.index(answer.state))
