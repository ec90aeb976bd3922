"""Noise: what problems may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.clusters.errors import Refused
from faultyard.load.generator import LoadGenerator, LoadSettings
from faultyard.model.problem import Noise
from faultyard.trials import noise

SAID = "error: connection refused -- see INC-7, run `kubectl get pods`"
GIVEN = {"path": SAID, "per_minute": 3}


def test_a_sentence_is_asked_for_as_a_path_now_and_then() -> None:
    journeys, rate = noise.odd_paths(GIVEN)
    (journey,) = journeys["journeys"]
    assert rate == 0.05
    assert journey["variables"] == [{"name": "path", "one_of": [SAID]}]
    assert [step["path"] for step in journey["steps"]] == ["/${path}"]


def test_an_unknown_noise_or_parameter_is_refused(tmp_path: Path) -> None:
    settings = LoadSettings(tmp_path, tmp_path, ("127.0.0.1:1",), 1, 1)
    load = LoadGenerator(tmp_path / "none", settings, tmp_path / "load", list)
    for described in (Noise(kind="thunder"), Noise(kind="odd_paths", **{"with": {"path": "a"}})):
        with pytest.raises(Refused, match=r"no noise of kind thunder|takes path, per_minute"):
            noise.Noises(tmp_path).start([described], load)
