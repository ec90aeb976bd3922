"""A trial, said like an incident: everything that the page shows, worked out from the record."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from faultyard.model import manifests
from faultyard.model.actors import STORED
from faultyard.model.audit import Effect
from faultyard.model.autopsy import autopsy
from faultyard.model.case import Case, open_case
from faultyard.model.predicates import Phase, evaluate
from faultyard.model.record import parse_record
from faultyard.model.verdict import SCORING_VERSION, Verdict, judge
from faultyard.reports import (
    activity,
    changes,
    diagnosis,
    figures,
    page,
    sessions,
    statements,
    surroundings,
    transcript,
    wording,
    words,
)
from faultyard.reports.bodies import Bodies
from faultyard.reports.clock import Clock, Milestone, clock_of, duration, utc
from faultyard.reports.sessions import Place
from faultyard.reports.statements import Statements
from faultyard.reports.transcript import Called

_LONGEST_OUTPUT: Final = 100_000
"""Characters of the agent's output that are shown, the last ones."""


@dataclass(frozen=True)
class Output:
    """What the agent printed on one of its channels."""

    name: str
    text: str
    cut: int
    """Characters at the beginning that are not shown."""


def report(content: Mapping[str, bytes], source: str, unsealed: bool = False) -> str:
    """Return a record's report, one HTML page. The same record always gives the same page.

    Args:
        content: the record's files (path -> content).
        source: the record's folder, for errors and the page's foot.
        unsealed: report although the files do not fit the manifest; the page says so.

    Raises:
        DamagedRecord: the record does not fit its manifest, is cut off, or of an unknown schema.
        DescriptionError: its problem has a check that this version does not know.
    """
    record = parse_record(content, source, unsealed)
    said = statements.read(content, source)
    case, verdict = open_case(record), wording.worded(judge(record))
    clock = clock_of(record.trial.times)
    return page.fill(
        {
            "trial": record.trial,
            "problem": record.problem,
            "verdict": verdict,
            "words": words,
            "advice": wording.advice(verdict),
            "clock": clock,
            "source": PurePath(source).name,
            "weights": Counter(finding.severity for finding in verdict.findings),
            "gates": _gates(case),
            "outputs": _outputs(content),
            "facts": _facts(case, content, clock, unsealed),
            "mistakes": autopsy(case, verdict, said.calls),
        }
        | _users(case, verdict, said, clock)
        | _turn(case, verdict, said, content)
        | _left(case)
        | _diagnosis(case, verdict)
    )


def _users(case: Case, verdict: Verdict, said: Statements, clock: Clock) -> dict[str, Any]:
    """Return what users saw."""
    seconds = case.record.observations.seconds
    return {
        "hurt": figures.failed_since_injection(case),
        "chart": figures.chart(case, verdict, said.reports(case), clock),
        "objectives": figures.objectives(case.record.problem),
        "journeys": figures.journey_names(seconds),
        "phases": figures.phases(case),
        "dated_by_the_trial": figures.is_dated_by_the_trial(case),
    }


def _turn(
    case: Case, verdict: Verdict, said: Statements, content: Mapping[str, bytes]
) -> dict[str, Any]:
    """Return what the agent did."""
    bodies = Bodies(case, content.get("audit.jsonl", b""))
    beside: list[Called | Milestone] = [*said.reports(case), *transcript.entries(said.calls)]
    entries = activity.timeline(case, bodies, verdict.findings, beside)
    return {
        "requests": _requests(case),
        "entries": entries,
        "left_out": activity.left_out(case),
        "calls_left_out": transcript.left_out(said.calls),
        "tools": transcript.used(said.calls),
        "recording": sessions.recording(case),
        "anchors": _anchors(entries),
        "inspected": activity.inspected(case),
        "changed": activity.changed(case),
    }


def _left(case: Case) -> dict[str, Any]:
    """Return what became of the cluster."""
    return {
        "left": changes.left(case),
        "complete": case.complete,
        "injected": changes.injected(case),
        "written": surroundings.written(case),
        "passed": surroundings.passed(case),
        "nodes": surroundings.nodes(case),
        "nodes_seen": sorted(case.record.nodes.get("after", {})),
        "nodes_injected": surroundings.injected_nodes(case),
    }


def _diagnosis(case: Case, verdict: Verdict) -> dict[str, Any]:
    """Return what was named as the cause, and the truth."""
    recorded = case.record.diagnosis
    return {
        "diagnosed": diagnosis.submitted(case),
        "diagnosed_at": recorded.submitted_at if recorded else None,
        "right": diagnosis.truth(case),
        "places": diagnosis.places(case),
        "dimensions": diagnosis.dimensions(verdict.diagnosis),
    }


def _requests(case: Case) -> dict[str, int]:
    """Return how many requests of the turn were reads, writes, refused, unseen."""
    effects = Counter(event.effect for event in activity.told(case))
    return {
        "reads": effects[Effect.READ],
        "writes": sum(effects[effect] for effect in STORED),
        "refused": effects[Effect.DENIED],
        "unseen": effects[Effect.OPAQUE],
    }


def _anchors(entries: list[activity.Entry]) -> dict[Place, str]:
    """Return the page's anchor for each place in the record that it shows."""
    return {
        (file, line): f"{file.partition('.')[0]}-{line}"
        for entry in entries
        if not isinstance(entry, Called | Milestone)
        for file, line in entry.places
    }


def _gates(case: Case) -> list[dict[str, Any]]:
    """Return each check's answer before and after the injection, and at the end."""
    problem, seen = case.record.problem, case.record.observations
    answers = [evaluate(problem, seen, phase) for phase in Phase]
    return [
        dict(zip((phase.value for phase in Phase), three, strict=True))
        for three in zip(*answers, strict=True)
    ]


def _outputs(content: Mapping[str, bytes]) -> list[Output]:
    outputs = []
    for name in ("stdout", "stderr"):
        text = content.get(f"agent/{name}.txt", b"").decode(errors="replace")
        shown = text[-_LONGEST_OUTPUT:]
        outputs.append(Output(name, shown, len(text) - len(shown)))
    return outputs


def _facts(
    case: Case, content: Mapping[str, bytes], clock: Clock, unsealed: bool
) -> dict[str, Any]:
    """Return what identifies the record and its trial."""
    record, times = case.record, case.record.trial.times
    damage = manifests.complaints(content) if unsealed else []
    return {
        "rows": [
            ("problem", record.trial.problem),
            ("problem's hash", record.trial.problem_hash),
            ("seed", record.trial.seed),
            ("application", record.trial.application),
            ("agent", record.trial.agent),
            ("its identity", record.trial.identity.username),
            ("its credential", record.trial.identity.credential_id or "any of this user"),
            ("requests recorded", f"{len(record.events)}, {len(case.acts)} of the turn"),
            ("seconds of users' figures", len(record.observations.seconds)),
            *(
                (f"snapshot {name}", f"{len(shot.objects)} objects, {utc(shot.taken_at)}")
                for name, shot in record.snapshots.items()
            ),
            ("manifest, SHA-256", _sha256(content.get(manifests.NAME, b""))),
            ("scoring version", SCORING_VERSION),
        ],
        "moments": [
            (words.MOMENTS.get(name, name), utc(moment), clock.offset(moment))
            for name, moment in sorted(_moments(case).items(), key=lambda item: item[1])
        ],
        "took": duration(max(times.values()) - min(times.values())) if times else "",
        "turn": duration(times["turn_end"] - times["turn_start"])
        if {"turn_start", "turn_end"} <= times.keys()
        else "",
        "parts": sorted(_parts(content).items()),
        "damage": damage,
    }


def _moments(case: Case) -> dict[str, float]:
    """Return the trial's moments; the injection is when the page says it was everywhere."""
    moments = dict(case.record.trial.times)
    injected, noted = figures.injected_at(case), moments.pop("injected", None)
    if injected is not None and not case.record.problem.restraint:
        moments["injected"] = injected
    if noted is not None and moments.get("injected") != noted:
        moments["changed"] = noted
    return moments


def _parts(content: Mapping[str, bytes]) -> dict[str, str]:
    """Return the keys of everything that was built for the trial."""
    parts = json.loads(content["trial.json"]).get("artifacts")
    return {str(name): str(key) for name, key in parts.items()} if isinstance(parts, dict) else {}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest() if content else "none"
