"""Figures over windows of seconds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultyard.model.client import (
    JourneyFigures,
    Second,
    Window,
    parse_seconds,
    summarise,
    window,
)
from unit.load.seconds import line

BASE = 1_780_000_000


def _seconds(first: int, last: int) -> list[Second]:
    return parse_seconds([line(t) for t in range(first, last + 1)])


def test_only_seconds_wholly_inside_belong_to_a_window() -> None:
    cut = window(_seconds(10, 20), 11.2, 15.9)
    assert [second.t for second in cut.seconds] == [12, 13, 14]
    assert cut.complete


def test_a_window_that_ends_after_the_file_is_incomplete() -> None:
    cut = window(_seconds(10, 12), 11, 15)
    assert cut.missing == (13, 14)
    assert not cut.complete


def test_a_second_in_which_the_load_stopped_counts_as_missing() -> None:
    seconds = parse_seconds([line(10), line(11, partial=True)])
    assert window(seconds, 10, 12).missing == (11,)


def test_a_window_without_a_whole_second_is_incomplete() -> None:
    assert not window(_seconds(10, 12), 10.1, 11.9).complete


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (math.nan, 5)])
def test_a_window_that_ends_before_it_begins_is_refused(start: float, end: float) -> None:
    with pytest.raises(ValueError, match="cannot begin"):
        window([], start, end)


offsets = st.floats(min_value=-30, max_value=30, allow_nan=False)


@settings(deadline=None)
@given(first=st.integers(-20, 20), length=st.integers(0, 40), start=offsets, end=offsets)
def test_each_whole_second_of_a_window_is_either_seen_or_missing(
    first: int, length: int, start: float, end: float
) -> None:
    if not BASE + start < BASE + end:
        return
    seconds = _seconds(BASE + first, BASE + first + length - 1)
    cut = window(seconds, BASE + start, BASE + end)
    seen = [second.t for second in cut.seconds]
    whole = [t for t in range(BASE - 31, BASE + 31) if BASE + start <= t and t + 1 <= BASE + end]
    assert sorted([*seen, *cut.missing]) == whole
    assert set(seen) == set(whole) & {second.t for second in seconds}


def _second(t: int, **journeys: tuple[int, dict[str, int], list[float]]) -> Second:
    return Second(
        t,
        {
            name: JourneyFigures(ok, sum(errors.values()), tuple(latencies), errors)
            for name, (ok, errors, latencies) in journeys.items()
        },
        lateness_ms=float(t),
        in_flight=0,
    )


TWO_SECONDS = Window(
    1,
    3,
    (
        _second(1, search=(2, {"timeout": 1}, [10, 20, 3000]), login=(1, {}, [5])),
        _second(
            2, search=(0, {"status 503": 1, "timeout": 2}, [7, 3000, 3000]), login=(1, {}, [6])
        ),
    ),
    (),
)


def test_a_summary_adds_up_every_journey() -> None:
    summary = summarise(TWO_SECONDS)
    assert (summary.ok, summary.failed, summary.success_rate) == (4, 4, 0.5)
    assert summary.errors == (("timeout", 3), ("status 503", 1))
    assert (summary.seconds, summary.max_lateness_ms) == (2, 2.0)


def test_a_summary_can_be_that_of_some_journeys() -> None:
    summary = summarise(TWO_SECONDS, ["login"])
    assert (summary.ok, summary.failed, summary.p99_ms) == (2, 0, 6)


def test_a_journey_that_does_not_exist_is_no_empty_summary() -> None:
    with pytest.raises(ValueError, match="no journey is named"):
        summarise(TWO_SECONDS, ["logon"])


def test_nothing_measured_is_not_zero() -> None:
    summary = summarise(Window(1, 2, (_second(1, search=(0, {}, [])),), ()))
    assert (summary.success_rate, summary.p50_ms, summary.p99_ms) == (None, None, None)
    assert summary.unreliable() == "no journey was started in the window"


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=300))
def test_the_99th_percentile_is_the_least_value_that_99_percent_do_not_exceed(
    latencies: list[float],
) -> None:
    journey = (len(latencies), dict[str, int](), latencies)
    p99 = summarise(Window(1, 2, (_second(1, search=journey),), ())).p99_ms
    assert p99 in latencies
    assert sum(each <= p99 for each in latencies) * 100 >= 99 * len(latencies)
    assert sum(each < p99 for each in latencies) * 100 < 99 * len(latencies)


def test_a_window_with_a_missing_second_is_not_judged() -> None:
    summary = summarise(window(_seconds(10, 12), 10, 14))
    assert summary.unreliable() == "1 s were not measured, the first at 13"


def test_a_window_without_seconds_is_not_judged() -> None:
    assert summarise(Window(1.2, 1.9, (), ())).unreliable() == "no whole second lies in the window"


def test_figures_of_a_late_generator_are_not_judged() -> None:
    seconds = parse_seconds([line(10), line(11, lateness_ms=251)])
    reason = summarise(window(seconds, 10, 12)).unreliable()
    assert reason is not None
    assert "251 ms late" in reason


def test_figures_of_a_punctual_generator_are_judged_however_bad() -> None:
    seconds = parse_seconds([line(10, ok=0, failed=3)])
    summary = summarise(window(seconds, 10, 11))
    assert summary.success_rate == 0.0
    assert summary.unreliable() is None
