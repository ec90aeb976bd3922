"""Noise: what goes on beside the cause, from the injection to the end of the trial.

It comes from where users come from and looks like them: a load generator of its own, whose figures
are kept apart from the users'.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from faultyard.faults.kinds import Kinds
from faultyard.faults.registry import parameters
from faultyard.load.generator import LoadGenerator
from faultyard.model.problem import Noise

Plan = Callable[[Mapping[str, Any]], tuple[dict[str, Any], float]]
"""Makes a journeys file's content, and how many of these journeys begin in a second."""

_KINDS: Kinds[Plan] = Kinds("noise")


def noise(kind: str) -> Callable[[Plan], Plan]:
    """Register a function as a kind of noise, under the name that problems use."""
    return _KINDS.register(kind)


def kinds() -> frozenset[str]:
    """The names of all kinds."""
    return _KINDS.names


class Noises:
    """The noises of one trial.

    Args:
        folder: gets their files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[LoadGenerator] = []

    def start(self, described: Sequence[Noise], load: LoadGenerator) -> None:
        """Begin.

        Args:
            described: which.
            load: of the users; noise comes from the same place.

        Raises:
            Refused: there is no such kind, or a parameter is missing or unknown.
            LoadError: one did not begin.
        """
        for number, one in enumerate(described):
            journeys, rate_per_s = _KINDS.find(one.kind)(one.with_)
            folder = self._folder / str(number)
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / "journeys.yaml"
            file.write_text(json.dumps(journeys))
            generator = load.beside(file, rate_per_s, folder)
            generator.start()
            self._running.append(generator)

    def stop(self) -> None:
        """End them.

        Raises:
            LoadError: one had ended by itself.
        """
        for generator in self._running:
            generator.stop()

    @property
    def files(self) -> list[Path]:
        """What came of each, one line a second, as the users' figures."""
        return [generator.client_file for generator in self._running]


@noise("odd_paths")
def odd_paths(given: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
    """Somebody asks the edge for a path that is not there, now and then: a sentence.

    Services that log what they were asked for have that sentence in their logs.

    Args:
        given: `path` (without the slash before it), `per_minute`.
    """
    path, per_minute = parameters(given, "path", "per_minute")
    visit = {
        "name": "visit",
        "method": "GET",
        "path": "/${path}",
        "expect": {"status": 404},
    }
    journey = {
        "name": "visit",
        "weight": 1,
        "calls": ["edge"],  # the format wants one; nobody is called for a path that is not there
        "variables": [{"name": "path", "one_of": [str(path)]}],
        "steps": [visit],
    }
    return {"journeys": [journey]}, float(per_minute) / 60
