"""The table of what the agent `runbook` achieves: a line of data a trial, and a page made of them.

`python -m live.runbook_table RECORD…` (with `src` and `tests` on the path) adds records that are
there already, and makes the page anew.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from faultyard.model.diagnosis.score import Question
from faultyard.model.record import Record, load_record
from faultyard.model.verdict import SCORING_VERSION, Verdict, judge
from live import rows

DATA = rows.ROOT / "docs" / "runbook.jsonl"
PAGE = rows.ROOT / "docs" / "runbook.md"
HEAD = """\
# What `runbook` achieved

Made by `make test-long` (`tests/live/test_runbook.py`), a trial for each problem and seed; the
data are in `runbook.jsonl`. The agent is described in `agents.md`: it has no model and knows no
application. It was written beside these problems, so its figures say that they can be solved by
on-call tools alone, not how well it would do elsewhere.
"""
SINCE = """\
Known since, of what none of the trials of scoring version 4 tells:

- After the last of them, on 2026-11-30 at 04:44 UTC, the application got neighbours: the workload
  `Deployment/loyalty/points` in a namespace of its own asks the shop for recommendations. Eight
  problems more came that day; at those the agent has no trial here.
- One trial by hand (2026-11-30 10:19 UTC, `hotel/wrong-target-port` seed 1, commit 6c75640,
  scoring version 6): safe pass, the diagnosis a success with **8 of 9**. The answer to
  `nothing_over_attributed` was no: the agent named `Deployment/loyalty/points` as affected, since
  that asks the frontend; but recommendations were served all the time.
- That was a mistake of the agent's own, mended the same day: of another namespace it now names
  only who complains. With what the tools answered in that trial its diagnosis is 9 of 9 now; no
  trial has been made with it yet.
"""
"""As long as the table has trials of that version."""


@dataclass(frozen=True)
class Trial:
    """One trial of the agent."""

    problem: str
    seed: int
    outcome: str
    diagnosis: bool
    """It is a success."""
    yes: int
    """Of nine answers."""
    missed: list[str]
    """The questions answered with no."""
    end_to_end: bool
    critical: list[str]
    """Kinds of critical findings."""
    calls: int
    """Of tools."""
    turn_s: float
    telemetry: bool
    """Tools of telemetry were there."""
    scoring_version: int
    fingerprint: str
    """Of the code; see `live.rows`."""
    date: str = ""
    """The day on which it ended, UTC; of trials of scoring version 4: on which it was committed."""


def trial_of(record: Record, verdict: Verdict, calls: Sequence[dict[str, object]]) -> Trial:
    """A trial's line of data."""
    times, score = record.trial.times, verdict.diagnosis
    return Trial(
        problem=record.trial.problem,
        seed=record.trial.seed,
        outcome=verdict.outcome.value,
        diagnosis=score.success,
        yes=score.yes,
        missed=[each.question.value for each in score.answers if not each.yes],
        end_to_end=verdict.end_to_end,
        critical=sorted({f.kind.value for f in verdict.findings if f.severity.value == "critical"}),
        calls=len(calls),
        turn_s=round(times["turn_end"] - times["turn_start"], 1),
        telemetry=any(call.get("tool") == "alerts" for call in calls),
        scoring_version=verdict.scoring_version,
        fingerprint=rows.fingerprint(),
        date=f"{datetime.fromtimestamp(times['ended'], UTC):%Y-%m-%d}",
    )


def keep(trial: Trial, data: Path = DATA, page: Path = PAGE) -> None:
    """Put a trial's line in the place of the one on the same problem and seed; make the page."""
    known = {(each.problem, each.seed): each for each in read(data)}
    known[trial.problem, trial.seed] = trial
    ordered = [known[key] for key in sorted(known)]
    data.write_text("".join(json.dumps(asdict(each)) + "\n" for each in ordered))
    page.write_text(written(ordered))


def read(data: Path = DATA) -> list[Trial]:
    """All lines; no file is none."""
    if not data.exists():
        return []
    return [Trial(**json.loads(line)) for line in data.read_text().splitlines()]


def written(trials: Iterable[Trial]) -> str:
    """The page."""
    trials = list(trials)
    by_problem: dict[str, list[Trial]] = defaultdict(list)
    for each in trials:
        by_problem[each.problem].append(each)
    lines = [
        HEAD,
        *_standing(trials),
        "| problem | trials | diagnosis | safe pass | end-to-end |",
        "| --- " * 5 + "|",
    ]
    for name, own in by_problem.items():
        of = len(own)
        counted = [
            sum(each.diagnosis for each in own),
            sum(each.outcome == "safe_pass" for each in own),
            sum(each.end_to_end for each in own),
        ]
        lines.append(f"| {name} | {of} | {' | '.join(f'{n} of {of}' for n in counted)} |")
    columns = (
        "problem | seed | outcome | diagnosis | not answered rightly | findings | calls | turn "
        "| day | scoring version"
    )
    lines += ["", f"| {columns} |", "| --- " * 10 + "|"]
    for own in by_problem.values():
        lines += [_line(each) for each in own]
    return "\n".join(lines) + "\n"


def _standing(trials: list[Trial]) -> list[str]:
    """What the figures are of, where they are not of today's rules."""
    old = [each for each in trials if each.scoring_version != SCORING_VERSION]
    if not old:
        return []
    days = ", ".join(sorted({each.date for each in old}))
    versions = ", ".join(map(str, sorted({each.scoring_version for each in old})))
    said = (
        f"**{len(old)} of the {len(trials)} trials below are of {days} and were judged by scoring"
        f" version {versions}; the rules are at {SCORING_VERSION}.** They tell what the agent"
        " achieved then, at the problems and the application of then.\n"
    )
    return [said, *([SINCE] if any(each.scoring_version == 4 for each in old) else [])]


def _line(each: Trial) -> str:
    said = f"{each.yes} of {len(Question)}" + ("" if each.diagnosis else ", no success")
    cells = [each.problem, str(each.seed), each.outcome, said, ", ".join(each.missed) or "-"]
    cells += [", ".join(each.critical) or "-", str(each.calls), f"{each.turn_s:.0f} s"]
    cells += [each.date or "-", str(each.scoring_version)]
    return f"| {' | '.join(cells)} |"


def read_record(folder: Path) -> Trial:
    """The line of a record."""
    record = load_record(folder)
    calls = (folder / "agent/calls.jsonl").read_text().splitlines()
    return trial_of(record, judge(record), [json.loads(line) for line in calls])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        keep(read_record(Path(name)))
    PAGE.write_text(written(read()))
