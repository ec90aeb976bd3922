"""What the agent asked of the API server: its turn in order, and what it looked at and changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from faultyard.model.actors import STORED, Actor
from faultyard.model.audit import Effect, Event
from faultyard.model.case import Case
from faultyard.model.findings import Finding
from faultyard.model.refs import ObjectRef
from faultyard.reports import figures, sessions, words
from faultyard.reports.bodies import Bodies, Body
from faultyard.reports.clock import Milestone
from faultyard.reports.sessions import Place, Session, Tunnel
from faultyard.reports.transcript import Called

AUDIT: Final = "audit.jsonl"
DISCOVERY: Final = "API discovery"
_CHANGING: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_ACTS: Final = 2000
"""Requests beside reads that a page lists; the record has all of them."""
_ROWS: Final = 300
"""Different reads that one fold lists; the record has all of them."""


@dataclass(frozen=True)
class Read:
    """The same read, as often as it was made in one fold."""

    verb: str
    target: str
    refused: bool
    times: int


@dataclass(frozen=True)
class Reads:
    """Reads between two other entries."""

    received: float
    until: float
    count: int
    refused: int
    rows: tuple[Read, ...]
    more: int
    """Different reads that are not listed."""
    lines: tuple[int, ...]
    """Lines of the log that findings refer to."""

    @property
    def form(self) -> str:
        """How the template shows it."""
        return "reads"

    @property
    def places(self) -> tuple[Place, ...]:
        """What of the record it shows, and findings refer to."""
        return tuple((AUDIT, line) for line in self.lines)

    @property
    def targets(self) -> list[str]:
        """What was read, each once."""
        return list(dict.fromkeys(read.target for read in self.rows))


@dataclass(frozen=True)
class Act:
    """A request that wrote, or would have, or whose effect cannot be told."""

    received: float
    line: int
    verb: str
    target: str
    effect: Effect
    code: int | None
    by: str
    """Empty: the agent."""
    command: str
    body: Body
    findings: tuple[Finding, ...]
    """Those that rest on it."""

    @property
    def form(self) -> str:
        """How the template shows it."""
        return "act"

    @property
    def places(self) -> tuple[Place, ...]:
        """What of the record it shows."""
        return ((AUDIT, self.line),)

    @property
    def open(self) -> bool:
        """Whether it is shown unfolded: what came to nothing is not."""
        return self.effect not in (Effect.NOTHING, Effect.DRY_RUN)


Entry = Reads | Act | Milestone | Called | Session | Tunnel


@dataclass(frozen=True)
class Touched:
    """An object that was read or written."""

    ref: str
    times: int
    verbs: str
    refused: bool
    allowed: bool


def resting(found: Iterable[Finding]) -> dict[Place, list[Finding]]:
    """Return findings by the places in the record that they rest on."""
    places: dict[Place, list[Finding]] = defaultdict(list)
    for finding in found:
        for place in finding.evidence:
            if place.line is not None and finding not in places[place.file, place.line]:
                places[place.file, place.line].append(finding)
    return places


def timeline(
    case: Case, bodies: Bodies, found: Sequence[Finding], others: Iterable[Called | Milestone]
) -> list[Entry]:
    """Return the turn in order, reads folded.

    Args:
        case: the record.
        bodies: of its requests.
        found: findings, to be named where they rest.
        others: what no request tells, and no process.
    """
    rest = resting(found)
    referred = {line for file, line in rest if file == AUDIT}
    entries: list[Entry] = []
    fold: list[Event] = []
    moments: list[Event | Milestone | Called | Session | Tunnel] = [
        *_milestones(case),
        *others,
        *sessions.entries(case, rest),
        *_shown(case),
    ]
    moments.sort(key=lambda each: each.received)
    for each in moments:
        if isinstance(each, Event) and _folded(each):
            fold.append(each)
            continue
        entries += _fold(case, fold, referred)
        fold = []
        if isinstance(each, Event):
            entries.append(_act(case, bodies, each, tuple(rest.get((AUDIT, each.line), ()))))
        else:
            entries.append(each)
    return entries + _fold(case, fold, referred)


def left_out(case: Case) -> int:
    """Return how many requests, reads among them, the timeline leaves out at its end."""
    return len(told(case)) - len(_shown(case))


def inspected(case: Case) -> list[Touched]:
    """Return what was read, most often first."""
    reads = [event for event in case.acts if _folded(event) and event.resource]
    return _touched(case, reads)


def changed(case: Case) -> list[Touched]:
    """Return what was written to, whatever was left of it."""
    return _touched(case, [event for event in case.acts if event.effect in STORED])


def label(ref: ObjectRef, event: Event) -> str:
    """Return a request's target for people."""
    if not event.resource:
        return DISCOVERY
    if ref.name != "*":
        return str(ref)
    return f"{ref.kind}, all in {event.namespace}" if event.namespace else f"{ref.kind}, all"


def _folded(event: Event) -> bool:
    if event.effect is Effect.NOTHING:
        # A write that was refused as wrong is worth seeing; a question is as good as a read.
        asked = event.verb == "create" and (event.code or 0) < 300
        return event.verb not in _CHANGING or asked
    return event.effect is Effect.READ


def _shown(case: Case) -> Sequence[Event]:
    """Return the requests up to the last one that a page has room for."""
    shown = told(case)
    unfolded = [number for number, event in enumerate(shown) if not _folded(event)]
    return shown if len(unfolded) <= _ACTS else shown[: unfolded[_ACTS]]


def told(case: Case) -> Sequence[Event]:
    """Return what belongs to the turn: not the figures that telemetry fetches from the server."""
    return [
        event
        for event in case.acts
        if event.resource or event.effect is not Effect.READ or case.actor(event) is Actor.AGENT
    ]


def _fold(case: Case, events: Sequence[Event], referred: Iterable[int]) -> list[Reads]:
    if not events:
        return []
    refused = [event for event in events if event.code in (401, 403)]
    rows = Counter((_verb(e), label(case.target(e), e), e in refused) for e in events)
    listed = list(rows.items())
    return [
        Reads(
            events[0].received,
            events[-1].received,
            len(events),
            len(refused),
            tuple(Read(*read, times) for read, times in listed[:_ROWS]),
            len(listed[_ROWS:]),
            tuple(event.line for event in events if event.line in referred),
        )
    ]


def _act(case: Case, bodies: Bodies, event: Event, found: tuple[Finding, ...]) -> Act:
    return Act(
        event.received,
        event.line,
        _verb(event),
        label(case.target(event), event),
        event.effect,
        event.code,
        "" if case.actor(event) is Actor.AGENT else event.impersonated or event.username,
        " ".join(event.command),
        bodies.of(event),
        found,
    )


def _milestones(case: Case) -> list[Milestone]:
    trial = case.record.trial
    ended = words.TURN_ENDS.get(trial.turn_end_reason, "")
    code = "" if trial.exit_code is None else f", exit code {trial.exit_code}"
    texts = {
        "turn_start": "The agent's turn begins",
        "turn_end": f"The turn ends{f': {ended}{code}' if ended else ''}",
        "hold_start": "The hold begins: users must be served from here on",
        "hold_end": "The hold ends",
    }
    found = [
        Milestone(trial.times[name], text) for name, text in texts.items() if name in trial.times
    ]
    injected = figures.injected_at(case)
    if injected is not None and case.record.problem.restraint:
        found.append(Milestone(injected, "Benign changes are made, and nothing is broken"))
    elif injected is not None:
        found.append(Milestone(injected, "The fault is injected, among benign changes"))
    return found + [
        Milestone(later.since, "After the first repair, a further fault is injected")
        for later in trial.injections
    ]


def _touched(case: Case, events: Sequence[Event]) -> list[Touched]:
    by_target: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_target[label(case.target(event), event)].append(event)
    found = [
        Touched(
            text,
            len(group),
            ", ".join(sorted({_verb(event) for event in group})),
            all(event.code in (401, 403) for event in group),
            case.target(group[0]) in case.boundary.allowed,
        )
        for text, group in by_target.items()
    ]
    return sorted(found, key=lambda each: (-each.times, each.ref))


def _verb(event: Event) -> str:
    return f"{event.verb} {event.subresource}" if event.subresource else event.verb
