"""Writing down what a trial observed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faultyard.clusters.embedded.pki import ADMIN
from faultyard.evidence.processes import Recorded
from faultyard.evidence.recorder import FIRST, Recorder
from faultyard.model import forwards, node_state, probes, processes, sentinels, watch
from faultyard.model.ledger import written_line

if TYPE_CHECKING:
    from faultyard.trials.trial import Trial


def write(trial: Trial, recorder: Recorder) -> None:
    """Write the record's files but the manifest, whatever phase the trial reached."""
    recorder.write_json(FIRST, _description(trial))
    recorder.write_json("problem.json", trial.problem.to_json())
    described = trial.application.description.model_dump(mode="json", by_alias=True)
    recorder.write_json("application.json", {"schema": 1, "application": described})
    recorder.write("alert.txt", trial.problem.alert.encode())
    for name, content in trial.timeline.raw_snapshots.items():
        recorder.write(f"snapshots/{name}.json", content)
    if "before" in trial.timeline.raw_snapshots:
        recorder.write("audit.jsonl", trial.audit.read())
    if trial.watcher is not None:
        _copy(recorder, watch.FILE, trial.watcher.file)
    if trial.timeline.node_states:
        states = node_state.trimmed(trial.timeline.node_states)
        recorder.write(node_state.FILE, json.dumps(states, separators=(",", ":")).encode() + b"\n")
    _write_load(trial, recorder)
    found = "".join(written_line(entry) for entry in trial.found)
    recorder.write("readback.jsonl", found.encode())
    host = sorted(trial.timeline.host.values(), key=lambda second: second.t)
    lines = [json.dumps(vars(second)) + "\n" for second in host]
    recorder.write("host.jsonl", "".join(lines).encode())
    if trial.timeline.probes:
        tried = [json.dumps(probe.to_json()) + "\n" for probe in trial.timeline.probes]
        recorder.write(probes.FILE, "".join(tried).encode())
    if trial.sentinels is not None:
        result = trial.sentinels.result()
        recorder.write_json(sentinels.FILE, result.model_dump(mode="json", by_alias=True))
    if trial.recorded is not None:
        _write_recorded(trial.recorded, recorder)
    _copy(recorder, "diagnosis.json", trial.turn.folder / "diagnosis.json")
    for name in ("stdout.txt", "stderr.txt", "calls.jsonl", "resolution.json"):
        _copy(recorder, f"agent/{name}", trial.turn.folder / name)


def _write_load(trial: Trial, recorder: Recorder) -> None:
    if trial.load is not None:
        _copy(recorder, "client.jsonl", trial.load.client_file)
        _copy(recorder, "ledger.jsonl", trial.load.ledger_file)
    for number, file in enumerate(trial.noises.files):
        _copy(recorder, f"noise/{number}.jsonl", file)


def _write_recorded(recorded: Recorded, recorder: Recorder) -> None:
    recording = recorded.recording.model_dump(mode="json", by_alias=True)
    recorder.write_json("processes.json", recording)
    for path, lines in (
        (processes.FILE, recorded.processes),
        (forwards.FILE, recorded.forwards),
    ):
        content = "".join(json.dumps(line.to_json(), ensure_ascii=False) + "\n" for line in lines)
        recorder.write(path, content.encode(errors="backslashreplace"))


def _copy(recorder: Recorder, path: str, source: Path) -> None:
    if source.exists():
        recorder.write(path, source.read_bytes())


def _description(trial: Trial) -> dict[str, Any]:
    turn = trial.turn
    return {
        "schema": 2,
        "problem": trial.problem.name,
        "problem_hash": trial.settings.problem.hash,
        "seed": trial.settings.seed,
        "agent": trial.settings.agent.name,
        "application": trial.problem.application,
        "identity": {"username": turn.username, "credential_id": turn.credential_id},
        "harness_users": [ADMIN],
        "session_objects": list(turn.session_objects),
        "declared_changes": [change.model_dump() for change in trial.declared],
        "injections": [injection.model_dump() for injection in trial.later.injections],
        "markers": {"turn_start": turn.marker_start, "turn_end": turn.marker_end},
        "times": trial.timeline.times,
        "turn_end_reason": turn.end_reason,
        "exit_code": turn.exit_code,
        "broken_by_agent": [{"what": what, "evidence": "trial.json"} for what in turn.broken],
        "protocol": trial.timeline.protocol,
        "errors": trial.errors,
        "artifacts": dict(trial.artifacts.keys),
    }
