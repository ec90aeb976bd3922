"""The rows of control trials on disk: fresh ones, and those of the past with the reason.

A row is fresh while what its trial rests on is unchanged. `settled` sorts all rows anew, so a
change that is taken back makes its rows fresh again.
"""

from __future__ import annotations

import datetime
import json
import math
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from faultyard.apps.applications import ROOT
from faultyard.campaigns import entrants, fingerprints, validation
from faultyard.campaigns.validation import Plan
from faultyard.model.errors import DescriptionError
from faultyard.model.record import Record, load_record
from faultyard.model.validity import ControlRow, PastRow
from faultyard.model.vocabulary import Outcome
from faultyard.trials.problems import ProblemFolder

FILE = ROOT / "docs" / "validity.jsonl"
HISTORY = ROOT / "docs" / "validity-history.jsonl"
UNKNOWN = "unknown"
"""The fingerprint of a trial of which nobody can tell on what code it ran."""
RowT = TypeVar("RowT", bound=ControlRow)


@dataclass(frozen=True)
class Rows:
    """All rows, sorted by whether they stand for something today."""

    fresh: Sequence[ControlRow]
    past: Sequence[PastRow]

    @property
    def all(self) -> list[ControlRow]:
        """Both."""
        return [*self.fresh, *self.past]


def read(file: Path = FILE, history: Path = HISTORY) -> Rows:
    """The rows as they were written; a file that is not there has none.

    Raises:
        DescriptionError: a line is none; with its number.
    """
    return Rows(_read(file, ControlRow), _read(history, PastRow))


def append(row: ControlRow, file: Path = FILE) -> None:
    """Add the row of a trial that has just ended; it is on disk before the next one starts."""
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row.to_json()) + "\n")


def write(rows: Rows, file: Path = FILE, history: Path = HISTORY) -> None:
    """Write all rows, each file in one step."""
    for target, kept in ((file, rows.fresh), (history, rows.past)):
        made = target.with_name(f".{target.name}.new")
        made.write_text("".join(json.dumps(row.to_json()) + "\n" for row in kept), "utf-8")
        made.replace(target)


def settled(rows: Iterable[ControlRow], found: Mapping[str, ProblemFolder]) -> Rows:
    """Sort rows by whether they are fresh; one that is there twice is kept once.

    An unexpected one stays beside what its trial comes to today.

    Args:
        rows: of any time.
        found: the problems as they are today, by name.
    """
    prints: dict[tuple[str, str], str] = {}
    fresh, past = [], []
    for row in sorted(_once(rows), key=lambda row: (row.problem, row.ended)):
        bare = ControlRow.model_validate(row.model_dump(exclude={"reason"}))
        own = (bare.problem, bare.agent)
        if bare.problem in found and own not in prints:
            prints[own] = entrants.fingerprint(found[bare.problem], bare.agent)
        reason = _past(bare, prints.get(own))
        if reason:
            past.append(PastRow(**bare.model_dump(), reason=reason))
        else:
            fresh.append(bare)
    return Rows(fresh, past)


def _once(rows: Iterable[ControlRow]) -> Iterable[ControlRow]:
    single: dict[object, ControlRow] = {}
    for row in rows:
        own = (row.trial, row.ended, row.as_expected)
        # A record read again may not tell on what code its trial ran; the row of then does.
        if own not in single or row.fingerprint != UNKNOWN:
            single[own] = row
    return single.values()


def of_row(row: validation.Row, fingerprint: str) -> ControlRow:
    """A control trial as it is committed.

    Args:
        row: the trial.
        fingerprint: of what it rests on.
    """
    return ControlRow(
        problem=row.problem,
        agent=row.agent,
        seed=row.seed,
        fingerprint=fingerprint,
        expected=Outcome(row.expected),
        got=row.verdict.outcome,
        findings=sorted({finding.kind for finding in row.verdict.findings}),
        differences=list(row.differences),
        duration_s=round(row.duration_s, 1),
        ended=moment(row.ended),
        scoring_version=row.verdict.scoring_version,
        guess=row.guess,
        not_evaluated=row.verdict.not_evaluated or None,
    )


def without_fresh(plan: Plan, rows: Iterable[ControlRow]) -> Plan:
    """A plan that leaves out the trials which have a fresh row with the expected verdict."""
    name = plan.problem.problem.name
    now = {c.agent: entrants.fingerprint(plan.problem, c.agent) for c in plan.controls}
    known = {
        (row.agent, row.seed)
        for row in rows
        if row.problem == name
        and row.fingerprint == now.get(row.agent)
        and row.is_result
        and row.as_expected
    }
    return replace(plan, known=frozenset(known))


def of_records(folder: Path, found: Mapping[str, ProblemFolder]) -> Iterator[ControlRow]:
    """Yield the rows of the control trials whose records lie somewhere in a folder.

    A record tells its problem's hash, but not on what other code its trial ran: it has today's
    fingerprint only if the trial began after the last commit of that code, else none that fits.
    The predicates of its checks are no such code, as it is judged by those of today.

    Raises:
        DamagedRecord: a record is not what was sealed.
    """
    for place in sorted(folder.rglob("manifest.json")):
        record = load_record(place.parent)
        one = found.get(record.trial.problem)
        known = record.trial.agent in entrants.all_of(record.problem)
        if one is not None and known and "ended" in record.trial.times:
            yield _of_record(record, one)


def _of_record(record: Record, found: ProblemFolder) -> ControlRow:
    trial = record.trial
    control = entrants.all_of(record.problem)[trial.agent]
    started = trial.times["started"]
    known = trial.problem_hash == found.hash and started > changed_at(found)
    program = entrants.program(trial.agent)
    known = known and (not program or started > committed_at(program))
    row = validation.row_of(record, control, fresh=False)
    return of_row(row, entrants.fingerprint(found, trial.agent) if known else UNKNOWN)


def moment(unix_s: float) -> str:
    """A moment as rows have it."""
    return datetime.datetime.fromtimestamp(unix_s, datetime.UTC).isoformat(timespec="seconds")


def changed_at(found: ProblemFolder) -> float:
    """When the code beside the problem that its trials ran on was last committed, unix seconds.

    Infinite if it is not committed, or this is no checkout.
    """
    return committed_at(fingerprints.places_done(found))


def committed_at(places: Iterable[Path]) -> float:
    """When files or folders were last committed, unix seconds; infinite: not as they are now."""
    given = [str(place) for place in places]
    try:
        changes = _git("status", "--porcelain", "--", *given)
        committed = _git("log", "-1", "--format=%ct", "--", *given)
    except (OSError, subprocess.CalledProcessError):
        return math.inf
    return math.inf if changes or not committed else float(committed)


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _past(row: ControlRow, now: str | None) -> str:
    """Why a row stands for nothing today; empty: it is fresh.

    Args:
        row: the row.
        now: the fingerprint of such a trial today; None: there is no such problem.
    """
    if now is None:
        return "there is no such problem any more"
    if row.fingerprint != now:
        return "the problem, its application, a kind of fault or check, or the rules are others now"
    if not row.is_result:
        lacking = ", ".join(row.not_evaluated or ())
        said = f"{lacking} could not be evaluated" if lacking else "an error of the harness"
        return f"no result: {said}"
    if row.as_expected:
        return ""
    return f"unexpected: {'; '.join(row.differences) or f'got {row.got.value}'}"


def _read(file: Path, model: type[RowT]) -> list[RowT]:
    if not file.exists():
        return []
    rows = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(model.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            said = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            hint = "Take the line out, or the file from the repository."
            raise DescriptionError(str(file), said, hint, number) from error
    return rows
