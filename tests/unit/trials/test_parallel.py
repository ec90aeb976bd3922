"""Control trials at once: each is a process, and what it says and leaves is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.campaigns import parallel, validation
from faultyard.clusters.errors import ClusterError
from faultyard.trials import problems
from unit.model.builders import Trial, written

PROBLEM = problems.find("hotel/wrong-target-port")


def plan(folder: Path, seeds: list[int]) -> validation.Plan:
    return validation.plans([PROBLEM], ["fix"], seeds, folder)[0]


def test_records_that_are_there_are_judged_and_not_run_again(tmp_path: Path) -> None:
    planned = plan(tmp_path, [1, 2, 3])
    for seed in planned.seeds:
        trial = Trial()
        trial.meta["seed"] = seed
        trial.meta["times"] |= {"started": 1.0, "ended": 2.0}
        written(planned.record(planned.controls[0], seed), trial.files())
    told: list[str] = []
    done: list[int] = []
    rows = parallel.validate([planned], 2, told.append, lambda row: done.append(row.seed))
    assert sorted(done) == [1, 2, 3]
    assert not told
    assert not any(row.fresh for row in rows)


def test_a_trial_that_cannot_begin_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTYARD_CACHE", str(tmp_path / "empty"))
    told: list[str] = []
    with pytest.raises(ClusterError, match=r"the trial of .* fix \(seed 1\) ended with [1-9]: \S"):
        parallel.validate([plan(tmp_path / "records", [1])], 2, told.append, print)
    assert told


def test_a_trial_of_several_is_not_to_warn_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    def start(_running: object, argv: list[str]) -> None:
        started.append(argv)
        raise ClusterError("not here")

    monkeypatch.setattr(parallel._Running, "start", start)
    with pytest.raises(ClusterError, match="not here"):
        parallel.validate([plan(tmp_path, [1])], 2, print, print)
    assert "--one-of-several" in started[0]
