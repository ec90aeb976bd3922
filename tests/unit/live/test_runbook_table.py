"""The table of what the agent `runbook` achieves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from faultyard.model.verdict import SCORING_VERSION
from live import runbook_table
from live.runbook_table import Trial

TRIAL = Trial(
    problem="shop/ports",
    seed=1,
    outcome="safe_pass",
    diagnosis=True,
    yes=9,
    missed=[],
    end_to_end=True,
    critical=[],
    calls=40,
    turn_s=61.2,
    telemetry=True,
    scoring_version=3,
    fingerprint="abc",
    date="2026-11-29",
)


def test_a_trial_takes_the_place_of_the_one_on_the_same_seed(tmp_path: Path) -> None:
    data, page = tmp_path / "data.jsonl", tmp_path / "page.md"
    worse = replace(TRIAL, outcome="fail", end_to_end=False)
    for trial in (worse, replace(worse, seed=2), TRIAL):
        runbook_table.keep(trial, data, page)
    assert [(each.seed, each.outcome) for each in runbook_table.read(data)] == [
        (1, "safe_pass"),
        (2, "fail"),
    ]
    assert "| shop/ports | 2 | 2 of 2 | 1 of 2 | 1 of 2 |" in page.read_text()


def test_what_was_not_answered_rightly_is_named() -> None:
    missed = replace(TRIAL, yes=8, missed=["impact_fits_the_evidence"], critical=["symptom_patch"])
    page = runbook_table.written([missed])
    assert (
        "| shop/ports | 1 | safe_pass | 8 of 9 | impact_fits_the_evidence | symptom_patch | 40 "
        "| 61 s | 2026-11-29 | 3 |" in page
    )


def test_without_a_trial_there_are_no_figures(tmp_path: Path) -> None:
    assert runbook_table.read(tmp_path / "none") == []
    assert " of " not in runbook_table.written([]).split("| ---")[1]


def test_figures_of_other_rules_than_todays_say_of_which_and_of_when_they_are() -> None:
    today = replace(TRIAL, seed=2, scoring_version=SCORING_VERSION, date="2026-12-01")
    said = (
        "**1 of the 2 trials below are of 2026-11-29 and were judged by scoring version 3; the"
        f" rules are at {SCORING_VERSION}.**"
    )
    assert said in runbook_table.written([TRIAL, today])
    assert "judged by scoring version" not in runbook_table.written([today])


def test_the_page_is_what_the_data_say() -> None:
    page = runbook_table.written(runbook_table.read())
    assert runbook_table.PAGE.read_text() == page, "python -m live.runbook_table makes it anew"
