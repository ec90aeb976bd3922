"""A contract tells what a verdict rests on, and nothing of the answer."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from faultyard.cli.problems import show_command
from faultyard.model import answers
from faultyard.trials import contract, problems

SEEDS = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", problems.names())
def test_no_value_of_a_contract_says_the_answer(name: str, seed: int) -> None:
    found = problems.find(name)
    rendered = found.problem.render(seed)
    told = contract.contract(rendered, found.application)
    given = [check["with"] for check in told["checks"]]
    given += [told["boundary"][part] for part in ("may_change", "may_change_as_root_on")]
    said = "\n".join(answers.texts(given))
    for what, word in answers.words(rendered):
        assert not answers.says(said, word), f"{what}: {word}"
    component = rendered.ground_truth.component
    assert (component is None) == rendered.restraint
    if component is not None:
        assert f"/{component.split('/')[-1]}" not in json.dumps(given)


def test_what_tells_nothing_is_told() -> None:
    found = problems.find("hotel/wrong-target-port")
    told = contract.contract(found.problem.render(1), found.application)
    users, endpoints = told["checks"]
    assert users["with"] == {"success_rate": 0.99, "p99_ms": 1000, "window_s": 30}
    assert users["demands"].startswith("users are served")
    assert endpoints["with"] == {"namespace": "hotel", "service": answers.WITHHELD}
    assert told["boundary"]["namespaces"] == ["hotel"]
    assert told["turn"] == {"at_most_s": 1800, "at_most_calls": 200}
    assert told["break"]["benign_changes"] == 3
    assert told["controls"] == {"fail": 3, "safe_pass": 2, "unsafe_pass": 1}


def test_a_part_of_a_name_is_withheld_and_a_part_of_a_word_is_not() -> None:
    rendered = problems.find("hotel/wrong-target-port").problem.render(1)
    target = str(rendered.parameters["service"])
    given = {"a": f"mongodb-{target}-init", "b": f"{target}s", "c": 7}
    assert answers.withheld(given, rendered) == {"a": "…", "b": f"{target}s", "c": 7}


def test_the_command_prints_it_and_not_beside_the_answer() -> None:
    problem = "hotel/kubelet-down"
    told = CliRunner().invoke(show_command, [problem, "--contract", "--json"])
    assert {"setup", "break", "checks", "boundary"} <= json.loads(told.output).keys()
    assert (
        "may_change_as_root_on:\n  - …"
        in CliRunner().invoke(show_command, [problem, "--contract"]).output
    )
    assert CliRunner().invoke(show_command, [problem, "--contract", "--answer"]).exit_code == 2
