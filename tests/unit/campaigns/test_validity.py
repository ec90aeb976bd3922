"""Rows of control trials on disk: which are fresh, why others are not, what records tell."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from faultyard.apps import applications
from faultyard.campaigns import fingerprints, validation, validity
from faultyard.campaigns.validity import UNKNOWN, Rows
from faultyard.cli import validity as command
from faultyard.cli.problems import list_command
from faultyard.cli.validation import conclusion, validate_command
from faultyard.cli.validity import validity_command
from faultyard.clusters.embedded import artifacts
from faultyard.model.errors import DescriptionError
from faultyard.model.problem import load_problem
from faultyard.model.validity import ControlRow, standing
from faultyard.reports import validity as pages
from faultyard.trials import problems
from faultyard.trials.problems import ProblemFolder
from unit.model.builders import PROBLEM, Trial, written
from unit.model.test_validity import a_row, all_rows


@pytest.fixture
def found(tmp_path: Path) -> ProblemFolder:
    """The problem of the records made by hand, on disk."""
    folder = tmp_path / "hotel/ports"
    folder.mkdir(parents=True)
    (folder / "problem.yaml").write_text(PROBLEM)
    problem, digest = load_problem(folder)
    return ProblemFolder(folder, problem, digest)


def fresh_row(found: ProblemFolder, agent: str = "fix", **parts: object) -> ControlRow:
    return a_row(agent, fingerprint=fingerprints.of_control_trials(found), **parts)


def settled(found: ProblemFolder, *rows: ControlRow) -> Rows:
    return validity.settled(rows, {found.problem.name: found})


def test_a_row_is_fresh_until_what_it_rests_on_changes(found: ProblemFolder) -> None:
    row = fresh_row(found)
    assert settled(found, row).fresh == [row]
    (found.folder / "fix.sh").write_text("true\n")
    past = settled(found, row).past
    assert [one.reason for one in past] == [
        "the problem, its application, a kind of fault or check, or the rules are others now"
    ]
    (found.folder / "fix.sh").unlink()
    assert settled(found, *past).fresh == [row]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"got": "runtime_error"}, "no result: an error of the harness"),
        ({"got": "fail"}, "unexpected: got fail"),
        (
            {"got": "fail", "not_evaluated": ["clients-served"]},
            "no result: clients-served could not be evaluated",
        ),
        ({"problem": "hotel/gone"}, "there is no such problem any more"),
    ],
)
def test_a_row_that_stands_for_nothing_says_why(
    parts: dict[str, Any], reason: str, found: ProblemFolder
) -> None:
    rows = settled(found, fresh_row(found, **parts))
    assert (list(rows.fresh), [row.reason for row in rows.past]) == ([], [reason])


def test_a_trial_that_is_told_twice_counts_once(found: ProblemFolder) -> None:
    row = fresh_row(found)
    assert len(settled(found, row, row).fresh) == 1
    assert len(settled(found, row, fresh_row(found, ended="later")).fresh) == 2


def test_a_record_of_unknown_code_does_not_take_the_place_of_its_row(found: ProblemFolder) -> None:
    row = fresh_row(found)
    again = row.model_copy(update={"fingerprint": validity.UNKNOWN})
    for rows in ((row, again), (again, row)):
        assert (settled(found, *rows).fresh, settled(found, *rows).past) == ([row], [])


def test_an_unexpected_row_stays_beside_what_its_trial_comes_to_today(found: ProblemFolder) -> None:
    bad = fresh_row(found, got="fail")
    rows = settled(found, bad, fresh_row(found))
    assert ([row.got for row in rows.fresh], [row.got for row in rows.past]) == (
        ["safe_pass"],
        ["fail"],
    )


def test_rows_that_are_written_are_read(found: ProblemFolder, tmp_path: Path) -> None:
    places = tmp_path / "rows.jsonl", tmp_path / "past.jsonl"
    rows = settled(found, fresh_row(found), fresh_row(found, got="fail", ended="later"))
    validity.write(rows, *places)
    validity.append(fresh_row(found, ended="last"), places[0])
    read = validity.read(*places)
    assert [row.ended for row in read.fresh] == [rows.fresh[0].ended, "last"]
    assert list(read.past) == list(rows.past)
    assert validity.read(tmp_path / "a", tmp_path / "b") == Rows([], [])


def test_a_line_that_is_no_row_is_told_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(a_row().model_dump_json() + "\n{}\n")
    with pytest.raises(DescriptionError, match=r"rows.jsonl:2: problem: Field required"):
        validity.read(file, tmp_path / "none")


def a_record(folder: Path, found: ProblemFolder, **meta: object) -> Path:
    trial = Trial()
    trial.meta |= {"problem_hash": found.hash, **meta}
    trial.meta["times"]["started"] = trial.meta["times"]["healthy_from"] - 1
    return written(folder, trial.files())


@pytest.mark.parametrize(
    ("changed", "meta", "known"),
    [
        (0.0, {}, True),
        (float("inf"), {}, False),
        (0.0, {"problem_hash": "another"}, False),
    ],
)
def test_a_record_is_a_row_and_fresh_only_if_its_trial_ran_on_this_very_code(
    changed: float,
    meta: dict[str, str],
    known: bool,
    found: ProblemFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a_record(tmp_path / "records/hotel-ports/fix-s1", found, **meta)
    monkeypatch.setattr(validity, "changed_at", lambda _: changed)
    (row,) = validity.of_records(tmp_path / "records", {found.problem.name: found})
    assert (row.agent, row.got.value, row.differences) == ("fix", "safe_pass", [])
    assert (row.fingerprint != UNKNOWN) == known
    assert len(settled(found, row).fresh) == known


def test_a_record_of_another_agent_or_problem_is_no_row(
    found: ProblemFolder, tmp_path: Path
) -> None:
    a_record(tmp_path / "runbook-s1", found, agent="runbook")
    assert list(validity.of_records(tmp_path, {found.problem.name: found})) == []
    a_record(tmp_path / "fix-s1", found)
    assert list(validity.of_records(tmp_path, {})) == []
    assert len(list(validity.of_records(tmp_path, {found.problem.name: found}))) == 1


def test_code_that_was_never_committed_was_changed_at_no_time(
    found: ProblemFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert validity.changed_at(problems.find("hotel/kubelet-down")) > 0
    monkeypatch.setattr(validity, "ROOT", tmp_path)  # no checkout
    assert validity.changed_at(found) == float("inf")


def test_a_record_rests_on_what_was_done_and_tried_and_a_row_on_what_judged_it_too() -> None:
    found = problems.find("hotel/network-policy-too-open")
    row, record = (
        {f"{place.parent.name}/{place.name}" for place in places}
        for places in (fingerprints.places_beside(found), fingerprints.places_done(found))
    )
    both = {"apps/hotel", "faults/network_policies.py"}
    both |= {"native/apps", "native/addons", "artifacts/modules.py"}  # what is in its images
    judging = {"connections.py", "client_slo.py", "network_policy_admits.py"}
    assert row == both | {f"predicates/{name}" for name in judging}
    assert record == both | {"checks/connections.py"}


def test_what_is_done_beside_the_fault_is_what_a_record_rests_on_too() -> None:
    done = {place.name for place in fingerprints.places_done(problems.find("hotel/lying-log-line"))}
    assert done >= {"hotel", "noise.py", "services.py", "connections.py"}


def test_trials_with_a_fresh_row_are_left_out_of_a_plan(
    found: ProblemFolder, tmp_path: Path
) -> None:
    (plan,) = validation.plans([found], (), [1, 2], tmp_path)
    rows = [fresh_row(found), fresh_row(found, agent="noop", got="safe_pass"), a_row("wrong")]
    left = validity.without_fresh(plan, rows).trials
    assert len(plan.trials) == 6
    assert [(control.agent, seed) for control, seed in left] == [
        ("noop", 1),
        ("wrong", 1),
        ("noop", 2),
        ("fix", 2),
        ("wrong", 2),
    ]
    assert conclusion([], known=1) == "0 of 0 as expected, 1 more have fresh rows"


@pytest.mark.skipif(os.geteuid() != 0, reason="validate needs root")
def test_a_validation_writes_each_row_as_it_comes_and_then_leaves_it_out(
    found: ProblemFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its trial's record is there, so that nothing runs."""
    (plan,) = validation.plans([found], ["fix"], [1], tmp_path / "records")
    a_record(plan.record(plan.controls[0], 1), found)
    rows = tmp_path / "rows.jsonl", tmp_path / "past.jsonl"
    read, append = validity.read, validity.append
    monkeypatch.setattr(validity, "read", lambda: read(*rows))
    monkeypatch.setattr(validity, "append", lambda row: append(row, rows[0]))
    monkeypatch.setattr(artifacts, "ensure", lambda build: None)
    words = [str(found.folder), "-a", "fix", "-o", str(tmp_path / "records")]
    assert CliRunner().invoke(validate_command, words).exit_code == 0
    assert not rows[0].exists()
    done = CliRunner().invoke(validate_command, [*words, "--rows", "--json"])
    (written,) = read(*rows).fresh
    told = json.loads(done.stdout)
    assert told.pop("progress")["done"] == 1
    assert (done.exit_code, told.pop("record")) == (0, str(plan.record(plan.controls[0], 1)))
    assert told == written.to_json()
    again = CliRunner().invoke(validate_command, [*words, "--rows"])
    assert (again.exit_code, len(read(*rows).fresh)) == (0, 1)
    assert again.stdout.endswith("0 of 0 as expected, 1 more have fresh rows\n")


def test_the_page_has_counts_bounds_durations_and_what_is_lacking(found: ProblemFolder) -> None:
    rows = [*all_rows(), a_row("fix", 2, got="runtime_error", duration_s=500, ended="later")]
    page = pages.page([standing(found.problem, "now", rows), standing(found.problem, "now", [])])
    assert "**9 results over 2 problems: 0 unexpected, at most 28.3%; 1 of 10 trials" in page
    assert "| `hotel/ports` | yes | 9 | 0 | 28.3% | 1 | 1 |  |" in page
    assert (
        "| `hotel/ports` | no | 0 | 0 | 100.0% | 0 | 0 | every control agent was tried on 0 of"
        in page
    )
    assert "| fix | safe_pass | 3 | 0 | 63% | 1 | 1 | 100 s | 100 s |" in page
    assert "| fix | safe_pass | 0 | 0 | 100% | 0 | 0 | none | none |" in page


def test_the_command_sorts_the_rows_and_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = problems.find("hotel/kubelet-down")
    now = fingerprints.of_control_trials(one)
    good = a_row("noop", problem="hotel/kubelet-down", fingerprint=now)
    places = tmp_path / "rows.jsonl", tmp_path / "past.jsonl"
    for row in (good, good.model_copy(update={"fingerprint": "then", "ended": "before"})):
        validity.append(row, places[0])
    read, write = validity.read, validity.write
    monkeypatch.setattr(validity, "read", lambda: read(*places))
    monkeypatch.setattr(validity, "write", lambda rows: write(rows, *places))
    monkeypatch.setattr(command, "PAGE", tmp_path / "page.md")
    done = CliRunner().invoke(validity_command, [])
    said = f"1 control trials of {len(problems.names())} problems, 0 unexpected (at most 95.0%)"
    assert done.output.startswith(said)
    assert [len(place.read_text().splitlines()) for place in places] == [1, 1]
    assert "## hotel/kubelet-down" in (tmp_path / "page.md").read_text()
    assert "no        " in CliRunner().invoke(list_command, []).output


def test_a_fingerprint_changes_with_problem_application_fault_check_and_rules(
    found: ProblemFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "apps/hotel"
    shutil.copytree(applications.ROOT / "apps/hotel", copy)
    text = PROBLEM.replace("application: hotel", f"application: {copy}")
    (found.folder / "problem.yaml").write_text(text)
    own = replace(found, problem=load_problem(found.folder)[0])
    seen = [fingerprints.of_control_trials(own)]
    assert fingerprints.of_control_trials(own) == seen[0]
    (copy / "API.md").write_text("other")
    seen.append(fingerprints.of_control_trials(own))
    (found.folder / "fix.sh").write_text("true\n")
    seen.append(fingerprints.of_control_trials(own))
    monkeypatch.setattr(fingerprints, "SCORING_VERSION", 99)
    seen.append(fingerprints.of_control_trials(own))
    assert len(set(seen)) == 4
    places = [str(place) for place in fingerprints.places(own)]
    assert any(place.endswith("faults/services.py") for place in places)
    assert any(place.endswith("predicates/client_slo.py") for place in places)
