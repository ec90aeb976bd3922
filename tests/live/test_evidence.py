"""The four signals show each problem's fault to somebody who knows where to look, and only it."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from faultyard.agents import registry
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for
from faultyard.model.truth import Evidence
from faultyard.model.truth import TraceQuery as Asked
from faultyard.tools.backends import TraceQuery
from faultyard.trials import problems, stores
from faultyard.trials.trial import Trial, TrialSettings
from live import fresh
from live.test_validation import seeds_of

PROBLEMS = [
    pytest.param(
        name,
        marks=pytest.mark.rests_on(
            *fresh.of_problem(name), "src/faultyard/telemetry", "tests/live/test_evidence.py"
        ),
    )
    for name in problems.names()
]
ARRIVES_S = 90
"""How long what shows a fault may take to its store: scrapes, batches, rates over a minute."""


@dataclass
class Observed(Trial):
    """A trial in which the evidence is asked for before the injection and in the turn's place."""

    healthy: list[str] = field(default_factory=list)
    faulty: list[str] = field(default_factory=list)

    def _see_healthy(self) -> None:
        super()._see_healthy()
        self.healthy = self._shown(self.timeline.times["healthy_from"])

    def _turn(self) -> None:
        wanted = {e.signal for e in self.problem.ground_truth.evidence if not e.silent}

        def look() -> tuple[bool | None, str]:
            self.faulty = self._shown(self.timeline.times["injected"])
            missing = wanted - set(self.faulty)
            return (None if missing else True), f"nothing in {', '.join(sorted(missing))}"

        self.timeline.mark("turn_start")
        wait_for("the evidence to be in the stores", look, timeout_s=ARRIVES_S, every_s=2)
        self.timeline.mark("turn_end")

    def _hold(self) -> None:
        """Nothing was repaired, so nothing has to hold."""

    def _shown(self, since: float) -> list[str]:
        """The signals whose query finds something."""
        evidence = self.problem.ground_truth.evidence
        return [entry.signal for entry in evidence if self._finds(entry, since)]

    def _finds(self, entry: Evidence, since: float) -> bool:
        if entry.signal == "objects":
            argv = [*self.cell.kubectl(), *shlex.split(str(entry.query))]
            return bool(run(argv).stdout.strip())
        back, now = stores.backends(), time.time()
        assert back.metrics is not None
        assert back.logs is not None
        assert back.traces is not None
        with self.cell.entered():
            if isinstance(entry.query, Asked):
                asked = TraceQuery(
                    entry.query.service,
                    since,
                    now,
                    limit=1,
                    tags=entry.query.tags,
                    min_duration_ms=entry.query.min_duration_ms or None,
                )
                return bool(back.traces.search(asked))
            if entry.signal == "metrics":
                return bool(back.metrics.instant(entry.query, now))
            return bool(back.logs.search(entry.query, since, now, 1))


@pytest.mark.long
@pytest.mark.cost(240)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_signals_show_the_fault_and_are_silent_without_it(
    name: str, artifacts: Artifacts, tmp_path: Path
) -> None:
    found = problems.find(name)
    seed = seeds_of(name)[0]
    agent = registry.choose("noop", found.problem.render(seed), found.folder)
    trial = Observed(TrialSettings(found, agent, seed, tmp_path / "record"), artifacts)
    trial.run()
    assert trial.errors == []
    assert trial.healthy == []
    evidence = found.problem.render(seed).ground_truth.evidence
    assert trial.faulty == [entry.signal for entry in evidence if not entry.silent]
