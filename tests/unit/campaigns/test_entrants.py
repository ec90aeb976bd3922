"""Who is tried at problems beside their own control agents, and what those trials rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.agents import excavation
from faultyard.agents.attackers import attacker
from faultyard.campaigns import entrants, validation, validity
from faultyard.clusters.errors import UnknownName
from faultyard.model.vocabulary import Outcome
from faultyard.trials import problems
from faultyard.trials.problems import ProblemFolder
from unit.model.test_validity import a_row

KUBELET = "hotel/kubelet-down"


@pytest.fixture(scope="module")
def found() -> ProblemFolder:
    return problems.find(KUBELET)


def planned(found: ProblemFolder, *agents: str, attackers: bool = False) -> list[str]:
    plans = validation.plans([found], agents, [1], Path("records"), attackers)
    return [control.agent for plan in plans for control, _ in plan.trials]


def test_a_plan_has_the_control_agents_or_the_attackers_or_who_is_named(
    found: ProblemFolder,
) -> None:
    own = [control.agent for control in found.problem.controls]
    assert planned(found) == own
    assert planned(found, attackers=True) == list(attacker.known())
    assert planned(found, "fix", "root-repair", "archaeologist") == [
        "fix",
        "root-repair",
        "archaeologist",
    ]
    with pytest.raises(UnknownName, match="root-repai;"):
        planned(found, "root-repai")


def test_the_archaeologist_must_get_what_doing_nothing_gets(found: ProblemFolder) -> None:
    assert entrants.all_of(found.problem)["archaeologist"].expect is Outcome.FAIL
    unbroken = found.problem.model_copy(update={"faults": []})
    assert entrants.all_of(unbroken)["archaeologist"].expect is Outcome.SAFE_PASS


def test_every_trial_of_the_archaeologist_has_a_seed_of_its_own(found: ProblemFolder) -> None:
    every = [problems.find(name) for name in problems.names()]
    plans = validation.plans(every, ["archaeologist", "noop"], [1, 2, 3], Path("records"))
    seeds = [(control.agent, seed) for plan in plans for control, seed in plan.trials]
    own = [seed for agent, seed in seeds if agent == "archaeologist"]
    assert len(set(own)) == len(own) == 3 * len(every)
    assert {seed for agent, seed in seeds if agent == "noop"} == {1, 2, 3}


def test_a_problems_own_control_agent_goes_before_a_general_one(found: ProblemFolder) -> None:
    own = found.problem.controls[1].model_copy(update={"agent": "root-repair"})
    problem = found.problem.model_copy(update={"controls": [own]})
    assert entrants.all_of(problem)["root-repair"] == own


@pytest.mark.parametrize(
    ("agent", "file"),
    [
        ("root-repair", attacker.FOLDER / "root-repair.sh"),
        ("root-repair", attacker.FOLDER / attacker.COMMON),
        ("archaeologist", excavation.FOLDER / "ranking.py"),
    ],
)
def test_a_row_of_a_general_one_rests_on_its_program_too(
    agent: str, file: Path, found: ProblemFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = entrants.fingerprint(found, agent)
    fresh = a_row("strike", problem=KUBELET, fingerprint=now).model_copy(update={"agent": agent})
    marked = entrants.mark(agent)
    assert validity.settled([fresh], {KUBELET: found}).fresh == [fresh]
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda self, *a, **k: read(self, *a, **k) + ("#" if self == file else "")
    )
    assert validity.settled([fresh], {KUBELET: found}).fresh == []
    assert entrants.mark(agent) != marked


def test_the_control_agents_rows_do_not_rest_on_attackers(found: ProblemFolder) -> None:
    prints = {agent: entrants.fingerprint(found, agent) for agent in ("noop", "fix", "root-repair")}
    assert prints["noop"] == prints["fix"] != prints["root-repair"]
    assert (entrants.mark("fix"), bool(entrants.mark("root-repair"))) == ("", True)


def test_every_exception_of_a_problem_is_of_an_attacker_that_there_is() -> None:
    for name in problems.names():
        stated = {one.agent for one in problems.find(name).problem.attackers}
        assert stated <= set(attacker.known())
