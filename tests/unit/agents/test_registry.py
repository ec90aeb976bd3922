from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.agents import registry
from faultyard.agents.attackers import attacker
from faultyard.agents.command import CommandAgent
from faultyard.agents.control import ControlAgent, Noop
from faultyard.agents.errors import UsageError
from faultyard.model.problem import RenderedProblem, parse_problem

PROBLEM = """
name: hotel/ports
title: A Service with a wrong port
application: hotel
difficulty: {level: easy, reason: one object is wrong, expert_minutes: 5}
alert: Customers' requests are failing at the public entrance.
faults: [{kind: service_target_port}]
ground_truth: {component: Service/hotel/rate, mechanism: service_port_mismatch}
checks: [{name: served, kind: client_slo, mode: hold}]
boundary: {namespaces: [hotel]}
controls:
  - {agent: noop, expect: fail}
  - {agent: fix, script: controls/fix.sh, expect: safe_pass}
"""


@pytest.fixture
def problem() -> RenderedProblem:
    return parse_problem(PROBLEM, "problem.yaml").render(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "controls").mkdir()
    (tmp_path / "controls/fix.sh").write_text("kubectl get pods\n")
    return tmp_path


def test_the_names_are_the_controls_and_the_general_agents(problem: RenderedProblem) -> None:
    names = registry.names(problem)
    assert names[:6] == ["noop", "fix", "runbook", "archaeologist", "human", "command"]
    assert names[6:] == list(attacker.known())


def test_a_control_agent_has_its_script(problem: RenderedProblem, folder: Path) -> None:
    agent = registry.choose("fix", problem, folder)
    assert agent == ControlAgent("fix", "kubectl get pods\n")


def test_a_control_without_a_script_does_nothing(problem: RenderedProblem, folder: Path) -> None:
    assert registry.choose("noop", problem, folder) == Noop()


def test_a_command_is_made_of_what_the_user_gave(problem: RenderedProblem, folder: Path) -> None:
    agent = registry.choose("command", problem, folder, registry.CommandOptions(argv=("true",)))
    assert isinstance(agent, CommandAgent)
    assert agent.program.argv == ("true",)


def test_an_unknown_agent_is_refused_with_the_names_that_there_are(
    problem: RenderedProblem, folder: Path
) -> None:
    with pytest.raises(
        registry.UnknownAgent, match="noop, fix, runbook, archaeologist, human, command, restart"
    ) as refused:
        registry.choose("fixx", problem, folder)
    assert refused.value.exit_code == 2


def test_a_program_for_another_agent_is_refused(problem: RenderedProblem, folder: Path) -> None:
    with pytest.raises(UsageError, match="only the agent command"):
        registry.choose("fix", problem, folder, registry.CommandOptions(argv=("true",)))


@pytest.mark.parametrize("name", ["runbook", "human"])
def test_general_agents_can_be_put_to_any_problem(
    problem: RenderedProblem, folder: Path, name: str
) -> None:
    assert registry.choose(name, problem, folder).name == name
