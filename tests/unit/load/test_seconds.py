"""Reading the load generator's file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faultyard.model.client import DamagedClientFile, JourneyFigures, Second, parse_seconds
from unit.load.seconds import line

GOLDEN = (
    '{"t":1780000000,"journeys":{"login":{"ok":0,"failed":0,"latencies_ms":[],"errors":{}},'
    '"search":{"ok":2,"failed":2,"latencies_ms":[12.1,9,3000.2],'
    '"errors":{"overload":1,"timeout":1}}},"lateness_ms":0.41,"in_flight":3}'
)


def test_a_line_as_the_generator_writes_it_is_read_whole() -> None:
    assert parse_seconds([GOLDEN + "\n"]) == [
        Second(
            t=1780000000,
            journeys={
                "login": JourneyFigures(0, 0, (), {}),
                "search": JourneyFigures(2, 2, (12.1, 9.0, 3000.2), {"overload": 1, "timeout": 1}),
            },
            lateness_ms=0.41,
            in_flight=3,
        )
    ]


def test_no_lines_are_no_seconds() -> None:
    assert parse_seconds([]) == []


def test_reading_on_gives_the_same_as_reading_at_once() -> None:
    lines = [line(t) for t in range(10, 16)]
    head = parse_seconds(lines[:3])
    tail = parse_seconds(lines[3:], after=head[-1], first_line=4)
    assert head + tail == parse_seconds(lines)


def _with(**changes: Any) -> str:
    fields = json.loads(GOLDEN)
    fields["journeys"]["search"] |= changes
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (GOLDEN[:-20], "no JSON"),
        ("", "no JSON"),
        ("[]", "the line is no JSON object"),
        (line(1.5), "t is no count"),
        (line(True), "t is no count"),
        (line(1, in_flight=-1), "in_flight is no count"),
        (line(1, lateness_ms=None), "lateness_ms is no duration"),
        (line(1, lateness_ms=float("nan")), "lateness_ms is no duration"),
        (line(1, partial=1), "partial is neither"),
        (line(1, journeys=[]), "journeys is no JSON object"),
        (line(1, journeys={"a": {}}), "ok is missing"),
        (_with(ok=3), "not as many latencies"),
        (_with(failed=1), "other errors"),
        (_with(errors={"timeout": "2"}), "timeout is no count"),
        (_with(latencies_ms=[1, 2, -3]), "a latency is no duration"),
        (_with(latencies_ms=7), "latencies_ms of search is no list"),
    ],
)
def test_a_line_that_is_no_second_is_damage(damaged: str, reason: str) -> None:
    with pytest.raises(DamagedClientFile, match=reason) as raised:
        parse_seconds([damaged])
    assert raised.value.line == 1


@pytest.mark.parametrize("second", [9, 10, 12])
def test_a_second_that_does_not_follow_is_damage(second: int) -> None:
    with pytest.raises(DamagedClientFile, match=f"second {second} follows 10") as raised:
        parse_seconds([line(10), line(second)])
    assert raised.value.line == 2


def test_nothing_follows_the_second_in_which_the_load_stopped() -> None:
    with pytest.raises(DamagedClientFile, match="follows the last"):
        parse_seconds([line(10, partial=True), line(11)])
