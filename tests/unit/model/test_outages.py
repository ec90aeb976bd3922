"""Users may not be cut off in the turn, though everything is at its end as it was."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from faultyard.model import snapshots
from faultyard.model.client import JourneyFigures, Second
from faultyard.model.host import HostSecond
from faultyard.model.observations import Observations
from faultyard.model.predicates.checking import Answer, Occasion, Phase, State
from faultyard.model.predicates.no_outage import NoOutage, no_outage
from faultyard.model.snapshots import Snapshot
from unit.model.world import Raw, World

TIMES = {"healthy_from": 2.0, "healthy_to": 10.0, "turn_start": 20.5, "hold_end": 120.0}
WANTED = NoOutage(namespace="hotel", success_rate=0.5, stretch_s=15)
IDLE = {t: HostSecond(t, busy=0.5, cell=0.45, lag_ms=0.5) for t in range(-5, 140)}


def second(t: int, ok: int, lateness_ms: float = 1) -> Second:
    figures = JourneyFigures(ok, 12 - ok, (20.0,) * 12, {"connect": 12 - ok} if ok < 12 else {})
    return Second(t, {"search": figures}, lateness_ms, in_flight=0)


def seconds(bad: Iterable[int] = (), ok: int = 0, missing: Iterable[int] = ()) -> list[Second]:
    left = sorted(set(range(125)) - set(missing))
    return [second(t, ok if t in set(bad) else 12) for t in left]


def shot(name: str, anew: bool = False, phase: str = "Running") -> Snapshot:
    raw: Raw = World().snapshot(1, [])
    for pod in (raw for raw in raw["objects"] if raw["kind"] == "Pod"):
        pod["status"]["phase"] = phase
        if anew and pod["metadata"]["name"].startswith("rate"):
            pod["metadata"]["uid"] = "another"
    return snapshots.parse(json.dumps(raw).encode(), name)


def judged(
    seen: list[Second],
    shots: Iterable[Snapshot] = (),
    host: dict[int, HostSecond] | None = None,
    times: dict[str, float] | None = None,
    phase: Phase = Phase.FINAL,
) -> Answer:
    known = {one.name: one for one in shots or (shot("injected"), shot("end"))}
    observations = Observations(times or TIMES, tuple(seen), known, host or IDLE)
    return no_outage(WANTED, Occasion(observations, phase, "throughout"))


@pytest.mark.parametrize(
    ("bad", "ok", "state"),
    [
        ((), 0, State.PASS),
        ((30, 31, 50), 0, State.PASS),  # in passing
        (range(30, 37), 0, State.PASS),
        (range(21, 110), 7, State.PASS),  # most are served
        (range(30, 50), 5, State.FAIL),
        (range(30, 38), 0, State.FAIL),  # more than half of fifteen seconds
        (range(21, 40), 0, State.FAIL),  # as the turn begins
        (range(110, 120), 0, State.FAIL),  # as the hold ends
        (range(12, 20), 0, State.PASS),  # before the turn
        (range(120, 125), 0, State.PASS),  # after the hold
    ],
)
def test_a_stretch_in_which_most_fail_is_an_outage(
    bad: Iterable[int], ok: int, state: State
) -> None:
    assert judged(seconds(bad, ok)).state is state


def test_it_says_when_it_was_worst() -> None:
    found = judged(seconds(range(40, 60)))
    assert found.figures == {"lowest_success_rate": 0, "from_second": 40, "stretch_s": 15}
    assert "users were cut off: in 15 s on end 0% of all journeys succeeded" in found.reason


def test_where_pods_were_made_anew_findings_judge() -> None:
    found = judged(seconds(range(40, 60)), (shot("injected"), shot("end", anew=True)))
    assert found.state is State.PASS
    assert "for findings to judge" in found.reason


def test_pods_that_had_ended_anyway_excuse_nothing() -> None:
    shots = (shot("injected", phase="Succeeded"), shot("end", anew=True))
    assert judged(seconds(range(40, 60)), shots).state is State.FAIL


def test_an_outage_without_a_snapshot_is_an_error() -> None:
    assert judged(seconds(range(40, 60)), [shot("injected")]).state is State.ERROR


def busy(when: Iterable[int]) -> dict[int, HostSecond]:
    return IDLE | {t: HostSecond(t, busy=1, cell=0.3, lag_ms=9) for t in when}


def test_what_shows_only_while_the_host_is_busy_is_an_error_not_an_outage() -> None:
    assert judged(seconds(range(40, 50)), host=busy(range(40, 50))).state is State.ERROR


def test_what_shows_without_the_disturbed_seconds_too_is_an_outage() -> None:
    assert judged(seconds(range(40, 60)), host=busy([45])).state is State.FAIL


def test_a_late_load_generator_is_not_believed() -> None:
    late = [second(s.t, s.journeys["search"].ok, 900) for s in seconds(range(40, 60))]
    assert judged(late).state is State.ERROR
    assert judged([second(s.t, 12, 900) for s in seconds()]).state is State.PASS


def test_a_few_seconds_that_were_not_seen_do_no_harm_but_a_stretch_of_them_does() -> None:
    assert judged(seconds(missing=(50, 51))).state is State.PASS
    assert judged(seconds(missing=range(50, 65))).state is State.ERROR


def test_a_trial_that_was_broken_off_is_an_error() -> None:
    times = {name: at for name, at in TIMES.items() if name != "hold_end"}
    assert judged(seconds(), times=times).state is State.ERROR


def test_before_the_turn_the_short_window_is_one_stretch() -> None:
    assert judged(seconds(), phase=Phase.HEALTHY).state is State.PASS
    assert judged(seconds(range(2, 10)), phase=Phase.HEALTHY).state is State.FAIL


def test_before_the_turn_users_are_judged_by_the_seconds_seen_then() -> None:
    """The gate of a problem in which nothing is broken asks every check."""
    seen_by = {"healthy_from": 2.0, "fault_visible_from": 12.0, "fault_visible_to": 20.0}
    assert judged(seconds(), times=seen_by, phase=Phase.FAULTY).state is State.PASS
    assert judged(seconds(range(12, 20)), times=seen_by, phase=Phase.FAULTY).state is State.FAIL
