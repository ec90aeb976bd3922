"""A trial that is stopped before it has seen anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from faultyard.agents.control import Noop
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings


def test_a_trial_that_is_stopped_at_once_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTYARD_STATE", str(tmp_path / "state"))

    def stop(_phase: str) -> None:
        raise KeyboardInterrupt

    problem = problems.find("hotel/wrong-target-port")
    nothing_built: Any = None
    settings = TrialSettings(problem, Noop(), 1, tmp_path / "records/demo")
    with pytest.raises(KeyboardInterrupt):
        Trial(settings, nothing_built, stop).run()
    assert list(tmp_path.iterdir()) == []
