"""What the clients saw: the load generator's file of seconds, and figures over windows of it.

A window whose seconds were not all seen says nothing about the application, and neither does one
in which the generator itself was late: both are told apart from bad figures, so that nobody
mistakes a gap for a pass or a fail.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faultyard.model.errors import ModelError

OVERLOAD = "overload"
"""The error of a journey that was never started; it has no latency."""

MAX_LATENESS_MS = 250.0
"""Above this lateness of the generator itself, in milliseconds, its latencies are not believed."""

TOP_ERRORS = 10


class DamagedClientFile(ModelError):
    """A line of the seconds is not what the load generator writes.

    Args:
        line: 1-based number of the line.
        reason: what is wrong with it.
    """

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"line {line} of the client's file is damaged: {reason}")


@dataclass(frozen=True, slots=True)
class JourneyFigures:
    """One journey in one second of scheduled starts."""

    ok: int
    """Journeys whose every answer was as expected."""
    failed: int
    latencies_ms: tuple[float, ...]
    """Of every journey that was started, failed ones too, from its scheduled start."""
    errors: Mapping[str, int]
    """Failures by their first cause; together they are `failed`."""


@dataclass(frozen=True, slots=True)
class Second:
    """The journeys whose start was scheduled in one second."""

    t: int
    """The second's beginning, unix time."""
    journeys: Mapping[str, JourneyFigures]
    lateness_ms: float
    """The largest delay of a start by the generator itself."""
    in_flight: int
    """Journeys running at the second's end."""
    partial: bool = False
    """Scheduling stopped within the second."""

    @property
    def longest_ms(self) -> float:
        """The longest of its journeys; 0 if none was started."""
        each = (figures.latencies_ms for figures in self.journeys.values())
        return max((latency for latencies in each for latency in latencies), default=0)


@dataclass(frozen=True, slots=True)
class Window:
    """The whole seconds between two moments."""

    start: float
    end: float
    seconds: tuple[Second, ...]
    missing: tuple[int, ...]
    """Seconds (unix time) that were not seen, or only in part."""

    @property
    def complete(self) -> bool:
        """Whether there is at least one second, and none is missing."""
        return bool(self.seconds) and not self.missing


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures over a window; None where nothing was measured (which is not 0)."""

    success_rate: float | None
    ok: int
    failed: int
    p50_ms: float | None
    p99_ms: float | None
    max_lateness_ms: float | None
    """Of all journeys, whichever were asked for."""
    seconds: int
    """Number of seconds seen whole."""
    missing_seconds: tuple[int, ...]
    errors: tuple[tuple[str, int], ...]
    """The most frequent errors with their counts, most frequent first."""

    def unreliable(self, max_lateness_ms: float = MAX_LATENESS_MS) -> str | None:
        """Say why these figures must not be judged, through the harness's own fault; else None.

        Args:
            max_lateness_ms: what the generator may be late, in milliseconds.
        """
        if self.missing_seconds:
            first = self.missing_seconds[0]
            return f"{len(self.missing_seconds)} s were not measured, the first at {first}"
        if self.seconds == 0:
            return "no whole second lies in the window"
        if self.max_lateness_ms is not None and self.max_lateness_ms > max_lateness_ms:
            return (
                f"the load generator was up to {self.max_lateness_ms:.0f} ms late itself "
                f"(limit {max_lateness_ms:.0f} ms): the host is too busy"
            )
        if self.success_rate is None:
            return "no journey was started in the window"
        return None


def parse_seconds(
    lines: Iterable[str], *, after: Second | None = None, first_line: int = 1
) -> list[Second]:
    """Read complete lines of the seconds file.

    Args:
        lines: the lines, without or with their line ends.
        after: the second before the first line, when reading on.
        first_line: 1-based number of the first line, for errors.

    Raises:
        DamagedClientFile: a line is no second, contradicts itself, or does not follow the one
            before by exactly a second.
    """
    seconds: list[Second] = []
    before = after
    for number, line in enumerate(lines, first_line):
        second = _second(line, number)
        if before is not None and second.t != before.t + 1:
            raise DamagedClientFile(number, f"second {second.t} follows {before.t}")
        if before is not None and before.partial:
            raise DamagedClientFile(number, "a second follows the last one")
        seconds.append(second)
        before = second
    return seconds


def window(seconds: Sequence[Second], start: float, end: float) -> Window:
    """Cut out the seconds that lie wholly between two moments.

    Args:
        seconds: in order.
        start: unix time; a second that began before is not in the window.
        end: unix time; a second that ends after is not in the window.

    Raises:
        ValueError: the end does not lie after the start.
    """
    if not start < end:
        raise ValueError(f"a window cannot begin at {start} and end at {end}")
    wanted = range(math.ceil(start), math.floor(end))
    seen = {second.t: second for second in seconds if not second.partial and second.t in wanted}
    return Window(
        start=start,
        end=end,
        seconds=tuple(seen[t] for t in wanted if t in seen),
        missing=tuple(t for t in wanted if t not in seen),
    )


def summarise(window: Window, journeys: Collection[str] | None = None) -> Summary:
    """Add up a window.

    Args:
        window: from `window`.
        journeys: only these; all when None.

    Raises:
        ValueError: a name that no second of the window has.
    """
    if journeys is not None and window.seconds:
        known = {name for second in window.seconds for name in second.journeys}
        if unknown := set(journeys) - known:
            raise ValueError(f"no journey is named {sorted(unknown)}; there are {sorted(known)}")
    figures = [
        figures
        for second in window.seconds
        for name, figures in second.journeys.items()
        if journeys is None or name in journeys
    ]
    ok = sum(each.ok for each in figures)
    failed = sum(each.failed for each in figures)
    latencies = sorted(latency for each in figures for latency in each.latencies_ms)
    errors: Counter[str] = Counter()
    for each in figures:
        errors.update(each.errors)
    ranked = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return Summary(
        success_rate=ok / (ok + failed) if ok + failed else None,
        ok=ok,
        failed=failed,
        p50_ms=_percentile(latencies, 50),
        p99_ms=_percentile(latencies, 99),
        max_lateness_ms=max((second.lateness_ms for second in window.seconds), default=None),
        seconds=len(window.seconds),
        missing_seconds=window.missing,
        errors=tuple(ranked[:TOP_ERRORS]),
    )


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The smallest value that at least this share of the values does not exceed."""
    if not ordered:
        return None
    rank = -(-percent * len(ordered) // 100)  # rounded up, in whole numbers
    return ordered[rank - 1]


def _second(line: str, number: int) -> Second:
    fields = _fields(_json(line, number), number, "the line")
    t = _count(fields, "t", number)
    named = _fields(_get(fields, "journeys", number), number, "journeys")
    partial = fields.get("partial", False)
    if not isinstance(partial, bool):
        raise DamagedClientFile(number, "partial is neither true nor false")
    return Second(
        t=t,
        journeys={name: _journey(name, raw, number) for name, raw in named.items()},
        lateness_ms=_measure(_get(fields, "lateness_ms", number), "lateness_ms", number),
        in_flight=_count(fields, "in_flight", number),
        partial=partial,
    )


def _journey(name: str, raw: Any, number: int) -> JourneyFigures:
    fields = _fields(raw, number, f"journey {name}")
    ok, failed = _count(fields, "ok", number), _count(fields, "failed", number)
    latencies = _get(fields, "latencies_ms", number)
    if not isinstance(latencies, list):
        raise DamagedClientFile(number, f"latencies_ms of {name} is no list")
    causes = _fields(_get(fields, "errors", number), number, f"errors of {name}")
    errors = {cause: _count(causes, cause, number) for cause in causes}
    if sum(errors.values()) != failed:
        raise DamagedClientFile(number, f"{name} has {failed} failures and other errors than these")
    if len(latencies) != ok + failed - errors.get(OVERLOAD, 0):
        raise DamagedClientFile(number, f"{name} has not as many latencies as journeys")
    measured = tuple(_measure(latency, "a latency", number) for latency in latencies)
    return JourneyFigures(ok, failed, measured, errors)


def _json(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise DamagedClientFile(number, f"no JSON ({error})") from error


def _fields(raw: Any, number: int, what: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise DamagedClientFile(number, f"{what} is no JSON object")
    return raw


def _get(fields: Mapping[str, Any], name: str, number: int) -> Any:
    if name not in fields:
        raise DamagedClientFile(number, f"{name} is missing")
    return fields[name]


def _count(fields: Mapping[str, Any], name: str, number: int) -> int:
    value = _get(fields, name, number)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise DamagedClientFile(number, f"{name} is no count: {value!r}")
    return value


def _measure(value: Any, what: str, number: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise DamagedClientFile(number, f"{what} is no duration: {value!r}")
    return float(value)
