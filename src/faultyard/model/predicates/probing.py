"""Looking at what the harness tried in the window that a phase and a mode are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from faultyard.model.predicates.checking import Answer, Occasion, Phase, State
from faultyard.model.probes import UNKNOWN, Asked, Probe, largest_gap
from faultyard.model.strict import Strict

MODES: Final = frozenset({"hold", "throughout"})
"""What a check over probes has an answer for."""
GATE_GAP_S: Final = 6
"""A gate looks at eight seconds; half of it unseen says nothing."""


class Probing(Strict):
    """What `with:` of every check over probes has."""

    every_s: Annotated[float, Field(gt=0)] = 2
    """How often it is tried, in seconds."""
    max_gap_s: Annotated[float, Field(gt=0)] = 10
    """The longest time without a try, in seconds, after which a window says nothing."""
    window_s: Annotated[float, Field(gt=0)] = 30
    """Least length of the window after the turn, seconds."""


def after_turn(occasion: Occasion) -> bool:
    """Whether what a check tries has been tried when the agent's turn was over.

    Before that whoever is asked may write it down where the agent reads it, in this problem only:
    then only what leaves no such trace is tried.
    """
    return occasion.phase is Phase.FINAL and occasion.mode != "throughout"


Round = Mapping[tuple[tuple[str, str], ...], Probe]
"""The tries that were made together, by what was asked."""


@dataclass(frozen=True)
class Rounds:
    """The whole rounds of a window, in their order."""

    rounds: Sequence[Round]
    gap_s: float
    """The longest time without one."""


def key(asked: Asked) -> tuple[tuple[str, str], ...]:
    """What was asked, so that it can be looked up."""
    return tuple(sorted(asked.items()))


def over_rounds(
    wanted: Probing,
    occasion: Occasion,
    kind: str,
    asked: Sequence[Asked],
    judge: Callable[[Round], Answer],
) -> Answer:
    """Judge every round of the phase's window; the first that does not pass decides.

    Args:
        wanted: of the check.
        occasion: of the check.
        kind: of the probes.
        asked: everything that a round has to have tried to say anything.
        judge: of one round.
    """
    names = _window(occasion)
    times = occasion.observations.times
    if not all(name in times for name in names):
        return Answer(State.ERROR, "the trial was broken off before anything counted was tried")
    start, end = (times[name] for name in names)
    seen = _rounds(occasion.observations.probes, kind, asked, start, end)
    if occasion.phase is Phase.FINAL and end - start < wanted.window_s - 0.01:
        reason = f"the window has {end - start:.1f} s instead of {wanted.window_s:.0f} s"
        return Answer(State.ERROR, reason)
    figures: dict[str, Any] = {
        "rounds": len(seen.rounds),
        "largest_gap_s": round(seen.gap_s, 1),
        "window_s": round(end - start, 1),
    }
    answers = [judge(each) for each in seen.rounds]
    failed = next((answer for answer in answers if answer.state is not State.PASS), None)
    # What was seen failing is not undone by what was not seen.
    if failed is None and (not answers or seen.gap_s > _longest_gap(wanted, occasion)):
        reason = f"for {seen.gap_s:.1f} s nothing was tried, or nothing came of it"
        return Answer(State.ERROR, reason, figures)
    decisive = failed or answers[-1]
    return Answer(decisive.state, decisive.reason, {**figures, **decisive.figures})


def _rounds(
    probes: Sequence[Probe], kind: str, asked: Sequence[Asked], start: float, end: float
) -> Rounds:
    wanted = {key(each) for each in asked}
    found: dict[float, dict[tuple[tuple[str, str], ...], Probe]] = {}
    for probe in probes:
        inside = start <= probe.t and probe.until <= end
        if inside and probe.kind == kind and key(probe.asked) in wanted:
            found.setdefault(probe.t, {})[key(probe.asked)] = probe
    whole = [
        (t, tries)
        for t, tries in sorted(found.items())
        if tries.keys() == wanted and all(p.outcome != UNKNOWN for p in tries.values())
    ]
    gap = largest_gap((t for t, _ in whole), start, end)
    return Rounds([tries for _, tries in whole], gap)


def _window(occasion: Occasion) -> tuple[str, str]:
    if occasion.phase is Phase.HEALTHY:
        return "healthy_from", "healthy_to"
    if occasion.phase is Phase.FAULTY:
        return "fault_visible_from", "fault_visible_to"
    if occasion.mode == "throughout":
        # A turn may be shorter than the time between two tries.
        return "turn_start", "hold_end"
    return "hold_start", "hold_end"


def _longest_gap(wanted: Probing, occasion: Occasion) -> float:
    return wanted.max_gap_s if occasion.phase is Phase.FINAL else GATE_GAP_S
