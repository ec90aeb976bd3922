"""Telemetry as the tools see it, whatever store lies behind: questions only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Series:
    """Values of one metric with one set of labels."""

    labels: Mapping[str, str]
    points: Sequence[tuple[float, str]]
    """Unix seconds, and the value as the store writes it (`NaN` and `+Inf` too)."""


@dataclass(frozen=True)
class Alert:
    """An alert that fires, or is about to."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    state: str
    """`pending` or `firing`."""
    since: str
    """RFC 3339."""
    value: str


@dataclass(frozen=True)
class Span:
    """A part of a trace."""

    id: str
    parent: str
    """Another span's id; empty for the first."""
    service: str
    operation: str
    start: float
    """Unix seconds."""
    duration_ms: float
    error: bool
    tags: Mapping[str, Any]
    logs: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Trace:
    """A trace: its spans in the order of their beginnings."""

    id: str
    spans: Sequence[Span]


@dataclass(frozen=True)
class TraceQuery:
    """Which traces are looked for."""

    service: str
    start: float
    """Unix seconds."""
    end: float
    """Unix seconds."""
    limit: int
    operation: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    min_duration_ms: float | None = None
    max_duration_ms: float | None = None


@dataclass(frozen=True)
class Call:
    """An edge of the dependency graph."""

    caller: str
    callee: str
    calls: int


class Metrics(Protocol):
    """A store of metrics, queried in its own language.

    Its methods raise `Declined` with the store's words when it refuses the query, and
    `BackendFailed` when it gives no usable answer; so do those of the other protocols.
    """

    def instant(self, query: str, at: float) -> Sequence[Series]:
        """The values at a moment, in unix seconds."""
        ...

    def range(self, query: str, start: float, end: float, step_s: float) -> Sequence[Series]:
        """The values from `start` to `end`, in unix seconds, one every `step_s`."""
        ...


class Alerts(Protocol):
    """What watches the metrics."""

    def active(self) -> Sequence[Alert]:
        """The alerts that fire or are about to."""
        ...


class Logs(Protocol):
    """A store of log lines, queried in its own language."""

    def search(
        self, query: str, start: float, end: float, limit: int
    ) -> Sequence[Mapping[str, Any]]:
        """At most `limit` lines between two moments in unix seconds, the newest first."""
        ...


class Traces(Protocol):
    """A store of traces."""

    def services(self) -> Sequence[str]:
        """The services that have reported spans."""
        ...

    def search(self, query: TraceQuery) -> Sequence[Trace]:
        """The traces that fit."""
        ...

    def trace(self, identifier: str) -> Trace:
        """One trace.

        Raises:
            Declined: there is none of this identifier.
        """
        ...

    def dependencies(self, start: float, end: float) -> Sequence[Call]:
        """Who called whom between two moments in unix seconds."""
        ...


@dataclass(frozen=True)
class Backends:
    """The telemetry of a cell; tools of what is None are not offered."""

    metrics: Metrics | None = None
    alerts: Alerts | None = None
    logs: Logs | None = None
    traces: Traces | None = None
