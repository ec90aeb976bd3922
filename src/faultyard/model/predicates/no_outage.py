"""no_outage: users are not cut off in the turn while what serves them runs on.

Some failed requests are no outage: what counts is a stretch of seconds in which most fail. Where
pods were made anew it is not judged here: each restart is a finding, and how long users miss what
is restarted depends on how busy the cell is with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from faultyard.model.client import MAX_LATENESS_MS, Second, Window, window
from faultyard.model.host import undisturbed
from faultyard.model.observations import Observations
from faultyard.model.predicates.checking import Answer, Occasion, Phase, State, predicate
from faultyard.model.predicates.client_slo import GATE_S
from faultyard.model.predicates.shots import leaving
from faultyard.model.shapes import mapping
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_WINDOWS: Final = {
    Phase.HEALTHY: ("healthy_from", "healthy_to"),
    # Where nothing is broken users are to be served then, too, and the turn is yet to come.
    Phase.FAULTY: ("fault_visible_from", "fault_visible_to"),
    # A turn may be over before anybody feels what was done in it.
    Phase.FINAL: ("turn_start", "hold_end"),
}


class NoOutage(Strict):
    """`with:` of a no_outage check."""

    namespace: Annotated[str, StringConstraints(min_length=1)]
    """Of what serves users."""
    success_rate: Annotated[float, Field(gt=0, le=1)]
    """Share of journeys, all together, below which a stretch is an outage."""
    stretch_s: Annotated[int, Field(ge=GATE_S)]
    """Length of a stretch, seconds."""
    max_lateness_ms: Annotated[float, Field(gt=0)] = MAX_LATENESS_MS
    """If the load generator itself was later than this, a second is not believed."""


@dataclass(frozen=True)
class _Stretch:
    """Seconds on end, all of them seen."""

    seconds: Sequence[Second]
    believed: Sequence[Second]
    """Those in which are neither the host's other work nor the generator's lateness."""

    @property
    def success_rate(self) -> float:
        return _rate(self.seconds)

    def below(self, success_rate: float) -> bool:
        return self.success_rate < success_rate

    def surely_below(self, success_rate: float) -> bool:
        """Tell whether it shows in what is believed of it, too."""
        return len(self.believed) >= GATE_S and _rate(self.believed) < success_rate


@predicate("no_outage", NoOutage, frozenset({"throughout"}))
def no_outage(wanted: NoOutage, occasion: Occasion) -> Answer:
    """Judge every stretch from the turn's start to the end of the hold."""
    seen_by = occasion.observations
    names = _WINDOWS[occasion.phase]
    if not all(name in seen_by.times for name in names):
        return Answer(State.ERROR, "the trial was broken off before users were watched to its end")
    seen = window(seen_by.seconds, *(seen_by.times[name] for name in names))
    stretches = list(_stretches(wanted, seen, seen_by))
    if not stretches or _longest_gap(seen) >= wanted.stretch_s:
        return Answer(State.ERROR, f"for {_longest_gap(seen)} s on end users were not watched")
    outages = [each for each in stretches if each.below(wanted.success_rate)]
    shown = [each for each in outages if each.surely_below(wanted.success_rate)]
    worst = min(shown or outages or stretches, key=lambda each: each.success_rate)
    figures = {
        "lowest_success_rate": round(worst.success_rate, 3),
        "from_second": worst.seconds[0].t,
        "stretch_s": len(worst.seconds),
    }
    said = f"in {len(worst.seconds)} s on end {worst.success_rate:.0%} of all journeys succeeded"
    if not outages:
        return Answer(State.PASS, f"users were served throughout: at worst {said}", figures)
    if not shown:
        return Answer(State.ERROR, f"{said}, but the host was busy, or not seen", figures)
    return _with_what_was_restarted(wanted, seen_by, f"users were cut off: {said}", figures)


def _with_what_was_restarted(
    wanted: NoOutage, seen_by: Observations, said: str, figures: dict[str, Any]
) -> Answer:
    first, last = (seen_by.snapshots.get(name) for name in ("injected", "end"))
    if first is None or last is None:
        return Answer(State.ERROR, f"{said}; whether anything was made anew is not known", figures)
    began, left = _running(first, wanted.namespace), _running(last, wanted.namespace)
    anew = sorted(began[uid] for uid in began.keys() - left.keys())
    if anew:
        why = f"while pods were made anew, {anew[0]} among them: for findings to judge"
        return Answer(State.PASS, f"{said}, {why}", figures | {"made_anew": len(anew)})
    return Answer(State.FAIL, f"{said}, though what serves them ran on", figures)


def _running(shot: Snapshot, namespace: str) -> dict[str, str]:
    """Return the names of the pods that run and are to stay, by UID."""
    return {
        str(mapping(raw.get("metadata")).get("uid")): ref.name
        for ref, raw in shot.of_kind("Pod", namespace).items()
        if mapping(raw.get("status")).get("phase") == "Running" and not leaving(raw)
    }


def _stretches(wanted: NoOutage, seen: Window, seen_by: Observations) -> Iterator[_Stretch]:
    """Yield every stretch; a window shorter than one is a stretch."""
    length = min(wanted.stretch_s, len(seen.seconds) + len(seen.missing))
    good = {
        second.t
        for second in seen.seconds
        if second.lateness_ms <= wanted.max_lateness_ms
        and undisturbed(second.t, seen_by.host, second.longest_ms)
    }
    for index in range(len(seen.seconds) - length + 1):
        seconds = seen.seconds[index : index + length]
        if seconds and seconds[-1].t - seconds[0].t == length - 1:
            yield _Stretch(seconds, [second for second in seconds if second.t in good])


def _rate(seconds: Sequence[Second]) -> float:
    each = [figures for second in seconds for figures in second.journeys.values()]
    started = sum(figures.ok + figures.failed for figures in each)
    return sum(figures.ok for figures in each) / started if started else 1.0


def _longest_gap(seen: Window) -> int:
    longest, run = 0, 0
    missing = set(seen.missing)
    for t in range(min(missing, default=0), max(missing, default=-1) + 1):
        run = run + 1 if t in missing else 0
        longest = max(longest, run)
    return longest
