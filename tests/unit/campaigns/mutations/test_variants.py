"""Variants of problems: what they change, and that bad ones are told from good ones."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from faultyard.campaigns.mutations import compositions, targets, values
from faultyard.campaigns.mutations.proposals import Proposal, proposals
from faultyard.campaigns.mutations.variant import Variant
from faultyard.model.problem import load_problem
from faultyard.trials import problems
from faultyard.trials.problems import ProblemFolder

PORT, USER = "hotel/wrong-target-port", "hotel/database-user-dropped"
CPU, KUBELET = "hotel/cpu-throttled", "hotel/kubelet-down"


def named(made: list[Variant]) -> Mapping[str, Variant]:
    return {one.name.rpartition("/")[2]: one for one in made}


def together(first: str, second: str) -> Variant:
    (made,) = compositions.variants(problems.find(first), [problems.find(second)])
    return made


def without(found: ProblemFolder, tmp_path: Path, target: str) -> ProblemFolder:
    """A problem that never draws one of its targets, and has no look-up for it."""
    text = (found.folder / "problem.yaml").read_text()
    data = yaml.safe_load(text)
    for parameter in data["parameters"].values():
        parameter.get("in", {}).pop(target, None)
        if target in parameter.get("choose", ()):
            parameter["choose"].remove(target)
    folder = tmp_path / found.problem.name
    shutil.copytree(found.folder, folder)
    (folder / "problem.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    problem, digest = load_problem(folder)
    return ProblemFolder(folder, problem, digest)


def test_a_problem_is_fixed_to_each_target_that_it_draws() -> None:
    made = named(list(targets.variants(problems.find(CPU))))
    assert set(made) == {f"cpu-throttled-{name}" for name in ("reservation", "profile", "rate")}
    assert made["cpu-throttled-rate"].document["parameters"]["service"] == {"choose": ["rate"]}


def test_another_target_of_the_same_sort_gets_its_look_ups_by_the_rule_of_the_others(
    tmp_path: Path,
) -> None:
    found = without(problems.find(PORT), tmp_path, "geo")
    one = named(list(targets.variants(found)))["wrong-target-port-geo"]
    drawn = one.document["parameters"]
    assert drawn["service"] == {"choose": ["geo"]}
    assert (drawn["right"]["in"]["geo"], drawn["caller"]["in"]["geo"]) == (8083, "search")
    assert one.differs == "on geo, which it never was on"


def test_a_look_up_that_follows_no_rule_gives_no_other_target(tmp_path: Path) -> None:
    found = without(problems.find(PORT), tmp_path, "geo")
    text = (found.folder / "problem.yaml").read_text().replace("search: 8082", "search: 8")
    (found.folder / "problem.yaml").write_text(text)
    assert "wrong-target-port-geo" not in named(list(targets.variants(found)))


def test_values_of_a_fault_are_halved_doubled_or_drawn_beyond() -> None:
    limits = named(list(values.variants(problems.find(CPU))))
    entries = limits["cpu-throttled-limit-half"].document["parameters"]["limit"]["in"]
    assert (entries["reservation-1"], entries["rate-3"]) == ("9m", "6m")
    ports = named(list(values.variants(problems.find(PORT))))
    assert ports["wrong-target-port-port-above"].document["parameters"]["port"]["range"] == [
        8100,
        8119,
    ]


def test_two_problems_are_one_with_both_causes_and_everything_allowed_that_either_needs(
    tmp_path: Path,
) -> None:
    folder = together(PORT, KUBELET).write(tmp_path)
    rendered = load_problem(folder)[0].render(2)
    assert [fault.kind for fault in rendered.faults] == ["service_target_port", "unit_stopped"]
    assert [cause.mechanism for cause in rendered.ground_truth.causes] == [
        "service_port_mismatch",
        "node_agent_down",
    ]
    assert rendered.boundary.nodes == [rendered.parameters["second_node"]]
    assert {check.name for check in rendered.checks} == {
        "clients-served",
        "clients-served-too",
        "endpoints-reach-the-pods",
        "node-in-service",
        "workloads-available",
    }
    outcomes = {control.agent: control.expect.value for control in rendered.controls}
    assert outcomes == {
        "noop": "fail",
        "fix": "safe_pass",
        "fix-otherwise": "safe_pass",
        "wrong-first-only": "fail",
        "wrong-second-only": "fail",
        "wrong-and-right": "unsafe_pass",
    }


def test_both_scripts_run_with_their_own_parameters_nodes_first(tmp_path: Path) -> None:
    """With programs that only say what they were asked."""
    script = together(PORT, KUBELET).scripts["controls/fix.sh"]
    said = tmp_path / "said"
    for program in ("kubectl", "ssh"):
        (tmp_path / program).write_text(f'#!/bin/sh\necho "{program} $*" >> {said}\necho "{{}}"\n')
        (tmp_path / program).chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SECOND_NODE": "worker-9", "SECOND_OTHER": "x"}
    env |= {f"FIRST_{name}": "rate" for name in ("SERVICE", "RIGHT", "PORT", "CALLER")}
    subprocess.run(["bash", "-c", script], env=env, cwd=tmp_path, check=False, capture_output=True)
    lines = said.read_text().splitlines()
    assert lines[0] == "ssh worker-9 sudo systemctl start kubelet"
    assert any("get deployment rate" in line for line in lines)


def test_attackers_come_to_the_worse_of_what_they_come_to_at_either() -> None:
    stated = together(CPU, KUBELET).document.get("attackers", [])
    assert stated == []  # at either an attacker repairs; at both it repairs one
    assert problems.find(CPU).problem.attackers
    assert problems.find(KUBELET).problem.attackers


def test_a_problem_is_not_put_together_with_itself() -> None:
    assert not list(compositions.variants(problems.find(CPU), [problems.find(CPU)]))


@pytest.fixture(scope="module")
def proposed() -> list[Proposal]:
    return list(proposals(problems.find(USER), [problems.find(CPU)], ("target", "composition")))


def test_variants_that_keep_every_rule_are_proposed(proposed: list[Proposal]) -> None:
    good = {one.variant.name for one in proposed if not one.complaints}
    assert f"{USER}-geo" in good
    assert f"{USER}-and-cpu-throttled" in good


def test_a_variant_on_something_that_the_application_has_not_is_told(
    proposed: list[Proposal],
) -> None:
    (bad,) = [one for one in proposed if one.complaints]
    assert bad.variant.name == f"{USER}-search"
    assert "hotel has no StatefulSet/hotel/mongodb-search" in bad.complaints
