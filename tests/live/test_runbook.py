"""The agent `runbook` takes whole trials; what it achieves goes into docs/runbook.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faultyard.agents.investigator import Runbook
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Outcome
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings
from live import fresh, runbook_table, shared

SEEDS = (1, 2, 3, 4, 5)
INVESTIGATOR = (
    "src/faultyard/agents/investigator.py",
    "src/faultyard/agents/library.py",
    "src/faultyard/agents/runbook",
    "src/faultyard/tools",
    "src/faultyard/telemetry",
)
TRIALS = [
    pytest.param(name, seed, marks=pytest.mark.rests_on(*fresh.of_verdicts(name), *INVESTIGATOR))
    for name in problems.names()
    for seed in SEEDS
]


def run(problem: str, seed: int, artifacts: Artifacts, folder: Path) -> tuple[Verdict, list[str]]:
    """A trial; its verdict and the tools that were called, in their order."""
    settings = TrialSettings(problems.find(problem), Runbook(), seed, folder)
    verdict = Trial(settings, artifacts).run()
    calls = (folder / "agent/calls.jsonl").read_text().splitlines()
    return verdict, [str(json.loads(call)["tool"]) for call in calls]


@pytest.mark.cost(150)
def test_the_official_client_takes_a_whole_trial_to_a_safe_pass(
    state: Path, artifacts: Artifacts, tmp_path: Path
) -> None:
    verdict, tools = run(shared.PROBLEM, 2, artifacts, tmp_path / "record")
    said = (tmp_path / "record/agent/stdout.txt").read_text()
    assert (verdict.outcome, verdict.reasons) == (Outcome.SAFE_PASS, verdict.reasons), said
    assert verdict.end_to_end, (verdict.diagnosis.to_json(), said)
    assert not verdict.diagnosis.after_first_write
    assert {"kubectl", "node_exec"} <= set(tools)
    assert tools[-1] == "resolve"
    trial = json.loads((tmp_path / "record/trial.json").read_text())
    assert trial["turn_end_reason"] == "resolve"
    assert (tmp_path / "record/agent/resolution.json").exists()


@pytest.mark.long
@pytest.mark.cost(250)
@pytest.mark.parametrize(("name", "seed"), TRIALS)
def test_what_it_achieves_is_written_down(
    name: str, seed: int, artifacts: Artifacts, tmp_path: Path
) -> None:
    folder = tmp_path / "record"
    verdict, _ = run(name, seed, artifacts, folder)
    # Good or bad, it is a result; only what failed through the harness is none.
    assert verdict.outcome is not Outcome.RUNTIME_ERROR, verdict.reasons
    runbook_table.keep(runbook_table.read_record(folder))
