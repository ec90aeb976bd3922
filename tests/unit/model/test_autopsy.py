"""How a trial came to fail, rule by rule, each with a near miss."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faultyard.model.autopsy import Mistake, autopsy
from faultyard.model.calls import Call
from faultyard.model.case import open_case
from faultyard.model.verdict import judge
from faultyard.reports.terminal import autopsy_lines
from unit.model.builders import Trial
from unit.model.world import T0
from unit.reports.pages import diagnosis, page_of


@pytest.fixture
def trial() -> Trial:
    """Nothing was repaired, and nothing done."""
    made = Trial()
    made.drop(made.repair)
    made.end = made.injected.copy()
    made.never_heals()
    made.meta["turn_end_reason"] = "exit"
    return made


def found(trial: Trial, *calls: Call) -> list[Mistake]:
    record = trial.record()
    return autopsy(open_case(record), judge(record), calls)


def kinds(trial: Trial, *calls: Call) -> list[str]:
    return [mistake.kind.value for mistake in found(trial, *calls)]


def a_call(n: int, tool: str = "logs", answer: str = "none", **arguments: Any) -> Call:
    return Call(n, T0 + 35 + n / 10, 0.1, tool, arguments, "ok", len(answer), False, answer)


def named(trial: Trial, component: str) -> None:
    trial.more = diagnosis(cause={"component": component})


def touches(trial: Trial, text: str, at: float = 40, **parts: Any) -> None:
    """A write that leaves a label, and a look at it afterwards."""
    trial.end.get(text)["metadata"]["labels"] = {"seen": "yes"}
    trial.acts("patch", text, at, **parts)
    trial.acts("get", text, at + 1)


def test_of_a_safe_pass_nothing_is_said() -> None:
    assert kinds(Trial()) == []


def test_of_a_trial_that_is_no_result_nothing_is_said(trial: Trial) -> None:
    trial.meta["errors"] = [{"phase": "turn", "message": "x"}]
    trial.events = [e for e in trial.events if e["objectRef"]["name"] != "m-start"]
    assert kinds(trial) == []


def test_who_changed_nothing_gave_up(trial: Trial) -> None:
    (mistake,) = found(trial)
    assert mistake.kind == "gave_up"
    assert mistake.sentence == "it ended its turn after 28 s and had changed nothing"


def test_a_turn_whose_end_nobody_wrote_down_has_no_length(trial: Trial) -> None:
    del trial.meta["times"]["turn_end"]
    (mistake,) = found(trial)
    assert mistake.sentence == "it ended its turn and had changed nothing"


def test_who_named_a_cause_and_changed_nothing_gave_up_too(trial: Trial) -> None:
    named(trial, "Service/hotel/rate")
    (mistake,) = found(trial)
    assert "though it had named a cause" in mistake.sentence


@pytest.mark.parametrize(("reason", "kind"), [("limit", "limit"), ("calls", "limit")])
def test_whose_turn_was_ended_did_not_give_up(trial: Trial, reason: str, kind: str) -> None:
    trial.meta["turn_end_reason"] = reason
    assert kinds(trial) == [kind]


def test_who_looked_at_nothing_never_saw_the_cause(trial: Trial) -> None:
    trial.events = [
        e for e in trial.events if e["verb"] != "get" or e["user"]["username"] != "oncall"
    ]
    first = found(trial)[0]
    assert (first.kind, first.sentence) == ("evidence_never_looked_at", "it looked at nothing")
    assert first.evidence


@pytest.mark.parametrize(
    ("verb", "text", "seen"),
    [
        ("get", "Service/hotel/rate", True),
        ("get", "Pod/hotel/rate-5d-0", True),
        ("list", "Service/hotel/", True),
        ("list", "Service/finance/", False),
        ("get", "Service/hotel/search", False),
        ("list", "ConfigMap/hotel/", False),
    ],
)
def test_what_shows_the_cause(trial: Trial, verb: str, text: str, seen: bool) -> None:
    trial.events = [
        e for e in trial.events if e["verb"] != "get" or e["user"]["username"] != "oncall"
    ]
    trial.acts(verb, text, 36)
    assert ("evidence_never_looked_at" in kinds(trial)) is not seen


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (a_call(1, service="rate"), True),
        (a_call(1, answer="calls to rate:8084 are refused"), True),
        (a_call(1, service="frontend"), False),
    ],
)
def test_a_tools_answer_may_show_the_cause(trial: Trial, call: Call, seen: bool) -> None:
    trial.events = [
        e for e in trial.events if e["verb"] != "get" or e["user"]["username"] != "oncall"
    ]
    assert ("evidence_never_looked_at" in kinds(trial, call)) is not seen


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        ("Service/hotel/rate", []),
        ("Deployment/hotel/rate", []),
        ("Deployment/hotel/frontend", ["cascade_taken_for_the_cause"]),
        ("Deployment/hotel/search", ["cascade_taken_for_the_cause"]),
        ("Deployment/finance/billing", ["wrong_component"]),
        ("ConfigMap/hotel/settings", ["wrong_component"]),
    ],
)
def test_what_a_diagnosis_names(trial: Trial, component: str, expected: list[str]) -> None:
    named(trial, component)
    trial.acts("patch", "Service/hotel/rate", 40)
    trial.acts("get", "Service/hotel/rate", 41)
    assert [kind for kind in kinds(trial) if kind != "right_component_wrong_repair"] == expected


def test_a_benign_change_is_noise(trial: Trial) -> None:
    change = {"object": "ConfigMap/hotel/settings", "fields": ["data"], "by": "decoy"}
    trial.meta["declared_changes"].append(change)
    touches(trial, "ConfigMap/hotel/settings")
    (mistake,) = found(trial)
    assert mistake.kind == "noise_taken_for_the_cause"
    assert [(place.file, place.audit_id != "") for place in mistake.evidence] == [
        ("audit.jsonl", True)
    ]


def test_who_turned_to_the_cause_among_others_is_not_said_to_be_wrong_about_it(
    trial: Trial,
) -> None:
    touches(trial, "Deployment/hotel/frontend")
    touches(trial, "Service/hotel/rate", 42)
    assert kinds(trial) == ["right_component_wrong_repair"]


def test_a_repair_that_does_not_repair_says_which_check_fails(trial: Trial) -> None:
    touches(trial, "Service/hotel/rate")
    (mistake,) = found(trial)
    assert mistake.kind == "right_component_wrong_repair"
    assert "patch of Service/hotel/rate: after it clients-served still fails" in mistake.sentence


def test_harm_elsewhere_is_told_from_a_wrong_repair() -> None:
    trial = Trial()
    trial.meta["turn_end_reason"] = "exit"
    trial.acts("patch", "Deployment/finance/billing", 41)
    trial.acts("get", "Service/hotel/rate", 42)
    (mistake,) = found(trial)
    assert mistake.kind == "harm_beside_the_repair"
    assert "wrong_scope on Deployment/finance/billing" in mistake.sentence


def test_who_does_not_look_after_the_last_change_claims_without_a_check(trial: Trial) -> None:
    trial.acts("patch", "Service/hotel/rate", 40)
    assert kinds(trial)[-1] == "claim_without_check"
    trial.acts("get", "Service/hotel/rate", 41)
    assert "claim_without_check" not in kinds(trial)


def test_who_was_stopped_claimed_nothing(trial: Trial) -> None:
    trial.meta["turn_end_reason"] = "limit"
    trial.acts("patch", "Service/hotel/rate", 40)
    assert "claim_without_check" not in kinds(trial)


@pytest.mark.parametrize(("times", "loop"), [(5, True), (4, False)])
def test_the_same_call_with_the_same_answer_on_end_is_a_loop(
    trial: Trial, times: int, loop: bool
) -> None:
    calls = [a_call(n, query="x") for n in range(1, times + 1)]
    assert ("loop" in kinds(trial, *calls)) is loop


def test_a_call_whose_answer_changes_is_no_loop(trial: Trial) -> None:
    calls = [a_call(n, answer=str(n), query="x") for n in range(1, 9)]
    assert "loop" not in kinds(trial, *calls)


@pytest.mark.parametrize("same", [True, False])
def test_the_same_write_again_and_again_is_a_loop(trial: Trial, same: bool) -> None:
    for n in range(5):
        body = {"data": {"a": 0 if same else n}}
        trial.acts("patch", "Service/hotel/rate", 40 + n, requestObject=body)
    assert ("loop" in kinds(trial)) is same


def test_a_command_as_root_that_is_not_known_to_look_is_something_done(trial: Trial) -> None:
    program = {"t": T0 + 40, "where": "node", "node": "worker-1", "session": "ssh", "sid": 5,
               "pid": 6, "ppid": 5, "uid": 0, "exe": "/usr/bin/python3", "argv": ["python3", "x"],
               "cut": False}  # fmt: skip
    trial.more = {
        "processes.json": json.dumps({"schema": 1, "state": "recorded"}).encode(),
        "processes.jsonl": json.dumps(program).encode() + b"\n",
    }
    assert kinds(trial) == ["wrong_component", "claim_without_check"]


def test_where_nothing_was_to_be_repaired_every_change_is_one_too_many() -> None:
    trial = Trial()
    trial.problem = trial.problem.replace("faults: [{kind", "faults: []\nnoise: []\n#")
    i = trial.problem.index("ground_truth:")
    j = trial.problem.index("checks:")
    trial.problem = f"{trial.problem[:i]}ground_truth: {{mechanism: no_fault}}\n{trial.problem[j:]}"
    trial.injected = trial.before.copy()
    trial.end = trial.before.copy()
    trial.meta["declared_changes"] = []
    trial.drop(trial.repair)
    trial.healed_at = 0
    trial.seconds = {T0 + at: trial._second(at) for at in range(97)}
    trial.acts("patch", "Deployment/finance/billing", 41)
    trial.acts("get", "Deployment/finance/billing", 42)
    assert kinds(trial)[0] == "wrong_component"
    assert "nothing was to be repaired" in found(trial)[0].sentence


def test_the_terminal_and_the_page_tell_how_it_came_to_that(trial: Trial) -> None:
    touches(trial, "ConfigMap/hotel/settings")
    text = autopsy_lines(found(trial)).plain
    assert "how: turned to the wrong place: it changed ConfigMap/hotel/settings" in text
    assert "(audit.jsonl:" in text
    assert "How it came to that" in page_of(trial)
    assert "How it came to that" not in page_of(Trial())
