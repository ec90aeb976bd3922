"""What a trial tells of its progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from faultyard.agents.control import Noop
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings

WAITS = {
    "_see_healthy": "waiting until users are served",
    "_see_broken": "waiting until the checks show what the injection did",
}
ACTS = ("_prepare", "_inject", "_turn", "_see_after", "_hold", "_snapshot", "_read_back")


@pytest.mark.parametrize("name", ["hotel/wrong-target-port", "hotel/false-alarm"])
def test_what_a_trial_waits_for_is_told_as_a_wait_and_no_result_whatever_was_broken(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    nothing_built: Any = None
    settings = TrialSettings(problems.find(name), Noop(), 1, tmp_path / "record")
    trial = Trial(settings, nothing_built, told.append)
    begun: dict[str, str] = {}
    for act in (*WAITS, *ACTS):
        monkeypatch.setattr(trial, act, lambda *_, act=act: begun.update({act: told[-1]}))
    trial._phases()
    assert {act: begun[act] for act in WAITS} == WAITS
    assert not [phase for phase in told if phase.startswith("checks")]
