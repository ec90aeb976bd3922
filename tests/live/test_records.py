"""A real record: the repair is in it under the agent's name, and what is bent shows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faultyard.model import node_state, watch
from faultyard.model.case import open_case
from faultyard.model.record import load_record
from faultyard.model.refs import ObjectRef
from live.cli import faultyard
from live.residue import wait_for_nothing_more
from live.shared import FixRecord

Json = dict[str, Any]
DAMAGED = 3


def trial_of(record: Path) -> Json:
    loaded: Json = json.loads((record / "trial.json").read_text())
    return loaded


def truth_of(record: Path) -> Json:
    loaded: Json = json.loads((record / "problem.json").read_text())["ground_truth"]
    return loaded


def is_repair(event: Json, record: Path) -> bool:
    """Whether it is the write to the object in which the fault lies."""
    trial, reference = trial_of(record), event.get("objectRef") or {}
    _, namespace, name = truth_of(record)["component"].split("/")
    return (
        event["user"]["username"] == trial["identity"]["username"]
        and event["verb"] in ("patch", "update")
        and (reference.get("resource"), reference.get("namespace")) == ("services", namespace)
        and reference.get("name") == name
    )


def audit_of(record: Path) -> list[Json]:
    return [json.loads(line) for line in (record / "audit.jsonl").read_bytes().splitlines()]


@pytest.mark.cost(1)
def test_the_usual_repair_is_a_safe_pass(fix_record: FixRecord) -> None:
    assert fix_record.verdict.to_json()["outcome"] == "safe_pass", fix_record.verdict.reasons
    assert fix_record.verdict.findings == ()


@pytest.mark.cost(1)
def test_the_audit_log_shows_the_on_call_user_making_the_repair(fix_record: FixRecord) -> None:
    folder = fix_record.folder
    repairs = [event for event in audit_of(folder) if is_repair(event, folder)]
    assert [(e["verb"], e["responseStatus"]["code"]) for e in repairs] == [("patch", 200)]
    user = repairs[0]["user"]
    assert user["username"] == "oncall"
    credentials = user["extra"]["authentication.kubernetes.io/credential-id"]
    assert credentials == [trial_of(folder)["identity"]["credential_id"]]
    expected = truth_of(folder)["expected"]
    assert f'"value":{expected}' in json.dumps(repairs[0]["requestObject"], separators=(",", ":"))


@pytest.mark.cost(1)
def test_the_watch_saw_everything_and_nothing_passed_that_was_not_asked_for(
    fix_record: FixRecord,
) -> None:
    case = open_case(load_record(fix_record.folder))
    seen = case.record.watch
    assert seen is not None
    assert (seen.ended, case.watch_gaps, seen.relists) == (True, [], ())
    assert len(seen.kinds) > 50
    assert sorted(name.partition(".")[0] for name in seen.skipped if "events" in name) == [
        "events",
        "events",
    ]
    _, namespace, name = truth_of(fix_record.folder)["component"].split("/")
    service = ObjectRef("Service", namespace, name)
    states = watch.by_object(seen.changes)[service]
    assert len(states) == 2  # broken, repaired
    assert [str(passing.ref) for passing in case.passing if case.writes_to(passing.ref)] == []


@pytest.mark.cost(1)
def test_the_protocol_tells_how_the_turn_ended_and_that_all_access_was_refused(
    fix_record: FixRecord,
) -> None:
    steps = load_record(fix_record.folder).trial.protocol
    assert [step.what for step in steps] == [
        "snapshot before",
        "snapshot injected",
        "access opened",
        "turn begins",
        "turn ends",
        "tools refuse the token",
        "API server refuses the certificate",
        "worker-1 refuses the key",
        "worker-2 refuses the key",
        "turn closed",
        "snapshot after",
        "hold begins",
        "hold ends",
        "snapshot end",
        "watch ended",
    ]
    assert sorted(step.t for step in steps) == [step.t for step in steps]
    details = {step.what: step.detail for step in steps}
    assert "refused" in details["tools refuse the token"]
    assert details["API server refuses the certificate"].startswith("403")
    assert "Permission denied" in details["worker-1 refuses the key"]


@pytest.mark.cost(1)
def test_on_nodes_nothing_changed_by_itself(fix_record: FixRecord) -> None:
    nodes = load_record(fix_record.folder).nodes
    assert set(nodes) == set(node_state.MOMENTS)
    assert {node for states in nodes.values() for node in states} == {"worker-1", "worker-2"}
    assert [state.errors for states in nodes.values() for state in states.values()] == [()] * 6
    assert list(node_state.compare(nodes["before"], nodes["after"])) == []
    assert nodes["after"]["worker-1"].aspects["units"]["kubelet.service"] == (
        "active (running), enabled"
    )


@pytest.mark.cost(2)
def test_a_whole_record_is_verified_with_the_same_verdict(fix_record: FixRecord) -> None:
    said = faultyard("verify", str(fix_record.folder), "--json")
    assert said.returncode == 0
    assert json.loads(said.stdout)["outcome"] == "safe_pass"


def move_repair(record: Path) -> None:
    """One audit line: the repair was in another namespace."""
    lines = (record / "audit.jsonl").read_bytes().splitlines(keepends=True)
    for index, line in enumerate(lines):
        event = json.loads(line)
        if is_repair(event, record):
            event["objectRef"]["namespace"] = "kube-system"
            lines[index] = json.dumps(event, separators=(",", ":")).encode() + b"\n"
            break
    (record / "audit.jsonl").write_bytes(b"".join(lines))


def change_port(record: Path) -> None:
    """One field of the last snapshot: the target port is what it was with the fault."""
    path, truth = record / "snapshots/end.json", truth_of(record)
    snapshot = json.loads(path.read_text())
    _, namespace, name = truth["component"].split("/")
    for item in snapshot["objects"]:
        metadata = item["metadata"]
        same = (metadata.get("namespace"), metadata["name"]) == (namespace, name)
        if item["kind"] == "Service" and same:
            ports = item["spec"]["ports"]
            port = next(port for port in ports if port["targetPort"] == truth["expected"])
            port["targetPort"] = truth["observed"]
    path.write_text(json.dumps(snapshot))


def fail_second(record: Path) -> None:
    """One second of the users' figures, in the hold window: none of its journeys succeeded."""
    path, moment = record / "client.jsonl", int(trial_of(record)["times"]["hold_start"]) + 5
    lines = []
    for line in path.read_text().splitlines():
        second = json.loads(line)
        if second["t"] == moment:
            for figures in second["journeys"].values():
                failed = figures["ok"] + figures["failed"]
                errors = {"step search: status 500": failed} if failed else {}
                figures.update(ok=0, failed=failed, errors=errors)
        lines.append(json.dumps(second) + "\n")
    path.write_text("".join(lines))


@pytest.mark.cost(3)
@pytest.mark.parametrize(
    ("bend", "file", "outcome"),
    [
        (move_repair, "audit.jsonl", "fail"),
        (change_port, "snapshots/end.json", "fail"),
        (fail_second, "client.jsonl", "fail"),
    ],
    ids=["audit line", "snapshot field", "client second"],
)
def test_a_bent_record_is_damaged_and_recomputed_has_another_verdict(
    fix_record: FixRecord, tmp_path: Path, bend: Callable[[Path], None], file: str, outcome: str
) -> None:
    copy = tmp_path / "record"
    shutil.copytree(fix_record.folder, copy)
    bend(copy)
    sealed = faultyard("verify", str(copy))
    assert sealed.returncode == DAMAGED
    assert f"{file} is not the file that was sealed" in sealed.stderr
    recomputed = faultyard("verify", str(copy), "--unsealed", "--json")
    assert recomputed.returncode == 0
    assert json.loads(recomputed.stdout)["outcome"] == outcome


@pytest.mark.cost(1)
def test_nothing_of_the_trials_cell_is_left(fix_record: FixRecord, state: Path) -> None:
    # Not at once: zombies are left to be reaped by the host's first process in its own time.
    wait_for_nothing_more(fix_record.host_before, state, timeout_s=5)
    left = fix_record.host_after.more_than(fix_record.host_before)
    assert [thing for thing in left if thing.startswith("process") and "(Z)" not in thing] == []
    assert list((state / "cells").iterdir()) == []
