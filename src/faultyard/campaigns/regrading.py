"""Judging records again: many at once, each beside what it got before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultyard.campaigns.validity import moment
from faultyard.model.errors import DamagedRecord, DescriptionError
from faultyard.model.manifests import NAME
from faultyard.model.record import Record, load_record
from faultyard.model.regrading import Change, Given, changes
from faultyard.model.validity import ControlRow
from faultyard.model.verdict import SCORING_VERSION, Verdict, judge
from faultyard.trials import verdicts


@dataclass(frozen=True)
class Regraded:
    """One record, judged again."""

    record: Path
    verdict: Verdict | None
    """None: it cannot be judged."""
    given: Given | None
    """What it got before; None: nobody wrote that down."""
    changes: tuple[Change, ...] = ()
    damage: str = ""
    """Why it cannot be judged."""

    @property
    def unannounced(self) -> bool:
        """Whether it got another verdict by rules that say they are the same."""
        known = self.given is not None and self.given.scoring_version == SCORING_VERSION
        return known and bool(self.changes)

    def to_json(self) -> dict[str, Any]:
        """Return what changed as data."""
        given, verdict = self.given, self.verdict
        return {
            "record": str(self.record),
            "damage": self.damage or None,
            "before": {"outcome": given.outcome, "scoring_version": given.scoring_version}
            if given
            else None,
            "now": {"outcome": verdict.outcome.value, "scoring_version": verdict.scoring_version}
            if verdict
            else None,
            "changes": [change.to_json() for change in self.changes],
            "unannounced": self.unannounced,
        }


def records_in(folder: Path) -> list[Path]:
    """The records that lie in a folder, or the folder itself if it is one."""
    return sorted(place.parent for place in folder.rglob(NAME))


def regrade(
    folders: Iterable[Path], rows: Iterable[ControlRow], unsealed: bool = False
) -> Iterator[Regraded]:
    """Judge records again, one after the other.

    What a record got before is read from the file beside it, else from its trial's row.

    Args:
        folders: of records, each once.
        rows: of control trials.
        unsealed: judge records too that do not fit their manifest.

    Raises:
        OSError: a file cannot be read.
    """
    known = {(*row.trial, row.ended): row for row in rows}
    for folder in folders:
        try:
            record = load_record(folder, unsealed)
            verdict = judge(record)
        except (DamagedRecord, DescriptionError) as error:
            yield Regraded(folder, None, verdicts.read(folder), damage=str(error))
            continue
        given = verdicts.read(folder) or _of_row(record, known)
        found = tuple(changes(given, verdict)) if given else ()
        yield Regraded(folder, verdict, given, found)


def _of_row(record: Record, known: dict[tuple[str, str, int, str], ControlRow]) -> Given | None:
    trial = record.trial
    ended = moment(trial.times["ended"]) if "ended" in trial.times else ""
    row = known.get((trial.problem, trial.agent, trial.seed, ended))
    return Given.of_row(row) if row else None
