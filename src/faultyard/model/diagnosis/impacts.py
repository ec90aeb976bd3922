"""What befalls users: as an agent says it, and as it was measured at the client."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from faultyard.model.client import Summary, summarise, window
from faultyard.model.host import undisturbed
from faultyard.model.observations import Observations


class Impact(StrEnum):
    """One way in which users suffer."""

    REQUESTS_FAIL = "requests_fail"
    """Some or all of users' requests end in an error."""
    REQUESTS_SLOW = "requests_slow"
    """Requests are answered too late."""
    WRONG_RESULTS = "wrong_results"
    """Requests are answered, but what comes back or is stored is wrong."""
    AT_RISK = "at_risk"
    """Users notice nothing yet: a guard, a reserve or a way of recovery is lost."""
    NONE = "none"
    """Users are served as they should be."""


def measured(
    observations: Observations, objectives: list[tuple[float, float, list[str] | None]]
) -> frozenset[Impact] | None:
    """Return what users' figures show between the injection and the agent's turn.

    Args:
        observations: of the trial.
        objectives: least success rate, largest p99 in ms, and the journeys (None: all) of each.

    Returns:
        What befell users, or None if it was not measured.
    """
    times = observations.times
    start = times.get("fault_visible_from", times.get("injected"))
    end = times.get("fault_visible_to", times.get("turn_start"))
    if start is None or end is None or not start < end or not objectives:
        return None
    seen = window(observations.seconds, start, end)
    # Other work on the host makes healthy services slow; what it disturbed shows no impact.
    clean = tuple(s for s in seen.seconds if undisturbed(s.t, observations.host))
    seen = replace(seen, seconds=clean or seen.seconds)
    found: set[Impact] = set()
    for success_rate, p99_ms, journeys in objectives:
        for group in [None] if journeys is None else [[name] for name in journeys]:
            summary = summarise(seen, group)
            if summary.unreliable() is not None:
                return None
            found |= _missed(summary, success_rate, p99_ms)
    return frozenset(found or {Impact.NONE})


def _missed(summary: Summary, success_rate: float, p99_ms: float) -> set[Impact]:
    found = set()
    if summary.success_rate is not None and summary.success_rate < success_rate:
        found.add(Impact.REQUESTS_FAIL)
    if summary.p99_ms is not None and summary.p99_ms > p99_ms:
        found.add(Impact.REQUESTS_SLOW)
    return found
