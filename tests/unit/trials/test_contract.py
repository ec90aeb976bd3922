"""A contract tells what a verdict rests on, and nothing of the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner

from faultyard.campaigns import entrants
from faultyard.cli.problems import show_command
from faultyard.model import answers
from faultyard.model.problem import RenderedProblem
from faultyard.trials import contract, problems

SEEDS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
GENERAL = ("name", "seed", "setup", "demands", "kind", "never")
"""What the reader gave, what the application is called, and what kinds are, in any problem."""
DRAWN = {
    "number": {"choose": [8181, 8282]},
    "least": {"choose": ["310m", "320m"]},
    "kept": {"choose": ["one", "another"]},
}


def _told(name: str, seed: int) -> tuple[RenderedProblem, dict[str, Any]]:
    found = problems.find(name)
    rendered = found.problem.render(seed)
    strikes = entrants.attackers(rendered)
    return rendered, contract.contract(rendered, found.application, strikes)


def _with(given: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    """What a contract tells of a check of such parameters, in a problem that was changed."""
    found = problems.find("hotel/wrong-target-port")
    body = found.problem.model_dump(by_alias=True, mode="json")
    check = {"name": "one", "kind": "quota_room", "mode": "at_end", "with": given}
    body |= {"checks": [check], **changed}
    body["parameters"] |= DRAWN
    rendered = type(found.problem).model_validate(body).render(1)
    told: dict[str, Any] = contract.contract(rendered, found.application)["checks"][0]["with"]
    return told


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", problems.names())
def test_no_word_of_the_ground_truth_or_the_faults_is_told(name: str, seed: int) -> None:
    rendered, told = _told(name, seed)
    said = "\n".join(answers.texts(_of_its_own(told)))
    for what, word in answers.words(rendered):
        assert not answers.says(said, word), f"{what}: {word}"


def _of_its_own(told: Any) -> Any:
    if isinstance(told, Mapping):
        return {key: _of_its_own(inner) for key, inner in told.items() if key not in GENERAL}
    return [_of_its_own(inner) for inner in told] if isinstance(told, list) else told


@pytest.mark.parametrize("name", problems.names())
def test_no_other_part_of_a_contract_depends_on_the_seed(name: str) -> None:
    (_, first), *others = (_told(name, seed) for seed in SEEDS)
    for _, other in others:
        assert {**other, "seed": first["seed"]} == first


@pytest.mark.parametrize("name", problems.names())
def test_no_service_or_object_of_the_application_is_named(name: str) -> None:
    """Those that are not at fault tell by elimination which is."""
    found = problems.find(name)
    _, told = _told(name, 1)
    named = {str(item["metadata"]["name"]) for item in found.application.objects()}
    named |= set(found.application.description.services)
    given = "\n".join(answers.texts([told["checks"], told["boundary"]]))
    lines = set(given.splitlines()) - set(told["boundary"]["namespaces"])
    for one in named - {"hotel"}:
        assert not [line for line in lines if line == one or f"/{one}" in line], one


def test_a_problem_in_which_nothing_is_broken_has_the_same_contract_but_for_kinds_of_checks() -> (
    None
):
    restraint = {n for n in problems.names() if problems.find(n).problem.restraint}
    assert restraint
    assert restraint != set(problems.names())
    for seed in SEEDS:
        first, *others = (_same_for_all(_told(name, seed)[1]) for name in problems.names())
        assert all(other == first for other in others)


def _same_for_all(told: Mapping[str, Any]) -> dict[str, Any]:
    left = {k: v for k, v in told.items() if k not in ("name", "checks", "controls")}
    return left | {"controls": sorted(told["controls"]), "a check": sorted(told["checks"][0])}


@pytest.mark.parametrize("name", problems.names())
def test_how_many_faults_there_are_is_not_told(name: str) -> None:
    rendered, told = _told(name, 1)
    assert told["break"]["faults"] == answers.WITHHELD
    assert told["boundary"]["may_change"] == answers.WITHHELD
    assert told["controls"] == {"number": len(rendered.controls), "verdicts": answers.WITHHELD}
    forms = [json.dumps(check) for check in told["checks"]]
    assert len(set(forms)) == len(forms)


def test_checks_of_two_objects_at_fault_are_told_as_one() -> None:
    rendered, told = _told("hotel/second-fault-on-write", 1)
    kinds = [check.kind for check in rendered.checks]
    assert kinds == ["client_slo", "service_endpoints", "service_endpoints"]
    assert [check["kind"] for check in told["checks"]] == ["client_slo", "service_endpoints"]


def test_checks_that_differ_in_a_threshold_or_when_they_count_are_told_both() -> None:
    told = _told("hotel/network-policy-too-open", 1)[1]["checks"]
    assert [check["kind"] for check in told].count("connections") == 2


def test_what_tells_nothing_is_told() -> None:
    _, told = _told("hotel/wrong-target-port", 1)
    users, endpoints = told["checks"]
    assert users["with"] == {"success_rate": 0.99, "p99_ms": 1000, "window_s": 30}
    assert users["demands"].startswith("users are served")
    assert users["when"] == "all through a window after the turn"
    assert endpoints["with"] == {"namespace": "hotel", "service": answers.WITHHELD}
    assert told["boundary"]["namespaces"] == ["hotel", answers.WITHHELD]
    assert "NetworkPolicy" in told["boundary"]["never"]
    assert told["turn"] == {"at_most_s": 1800, "at_most_calls": 200}
    assert told["break"]["benign_changes"] == 3
    assert told["attackers"] == {"number": 8, "verdicts": answers.WITHHELD}


@pytest.mark.parametrize(
    ("name", "kind", "thresholds"),
    [
        ("hotel/shared-configmap-trap", "config_duration", {"least": "300ms", "most": "30s"}),
        ("hotel/cpu-throttled", "container_limit", {"least": "100m"}),
        ("hotel/false-alarm", "no_outage", {"success_rate": 0.5, "stretch_s": 20}),
    ],
)
def test_thresholds_are_told(name: str, kind: str, thresholds: dict[str, Any]) -> None:
    _, told = _told(name, 1)
    (check,) = (check for check in told["checks"] if check["kind"] == kind)
    assert thresholds.items() <= check["with"].items()


def test_a_threshold_that_is_drawn_is_withheld_and_one_that_is_not_is_told() -> None:
    given = {"a": "${number}", "b": "${least}", "c": 8383, "d": "330m", "e": [1, 2]}
    assert _with(given) == {"a": "…", "b": "…", "c": 8383, "d": "330m", "e": [1, 2]}


def test_a_list_with_a_name_is_withheld_as_a_whole() -> None:
    given = {"a": ["hotel/frontend", "hotel/${service}"], "b": ["${kept}"], "c": [{"d": "x"}, 1]}
    assert _with(given) == {"a": "…", "b": "…", "c": "…"}


def test_a_namespace_of_which_the_alert_does_not_speak_is_withheld() -> None:
    boundary = {"namespaces": ["hotel", "platform"]}
    given = {"namespace": "platform", "other": "hotel"}
    assert _with(given, boundary=boundary) == {"namespace": "…", "other": "hotel"}


def test_a_part_of_a_name_is_withheld_and_a_part_of_a_word_is_not() -> None:
    rendered = problems.find("hotel/wrong-target-port").problem.render(1)
    target = str(rendered.parameters["service"])
    given = {"a": f"mongodb-{target}-init", "b": f"{target}s", "c": 7}
    assert answers.withheld(given, rendered) == {"a": "…", "b": f"{target}s", "c": 7}


@pytest.mark.parametrize("name", problems.names())
def test_the_command_prints_the_same_as_text_and_as_data(name: str) -> None:
    _, told = _told(name, 3)
    command = [name, "--seed", "3", "--contract"]
    assert json.loads(CliRunner().invoke(show_command, [*command, "--json"]).output) == told
    assert "may_change: …" in CliRunner().invoke(show_command, command).output


def test_the_answer_is_shown_in_full_and_not_beside_the_contract() -> None:
    problem = "hotel/network-policy-too-open"
    shown = CliRunner().invoke(show_command, [problem, "--answer", "--json"])
    rendered = problems.find(problem).problem.render(1).to_json()
    data = json.loads(shown.output)
    # Of those that attack, the problem has the exceptions alone.
    assert {**rendered, "attackers": data["attackers"]} == data
    assert CliRunner().invoke(show_command, [problem, "--contract", "--answer"]).exit_code == 2
