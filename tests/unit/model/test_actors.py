"""Whose request it is: the harness has the agent's credentials too."""

from __future__ import annotations

import pytest

from faultyard.model.actors import PROBED, Actor
from faultyard.model.case import Case, open_case
from unit.model.builders import TURN_END, Trial
from unit.model.world import an_event

CLOSED = TURN_END - 2
"""When the harness takes the agent's rights away."""


@pytest.fixture
def trial() -> Trial:
    closing = Trial()
    removal = an_event(CLOSED, "delete", "ClusterRoleBinding//session", "kubernetes-admin")
    closing.events.append(removal)
    return closing


def actors_of_the_agents_user(case: Case) -> list[tuple[str, Actor]]:
    own = case.record.trial.identity.username
    return [(e.resource, case.actor(e)) for e in case.record.events if e.username == own]


def test_the_harness_asking_whether_the_agent_is_refused_is_no_act_of_the_agents(
    trial: Trial,
) -> None:
    before = len(open_case(trial.record()).acts)
    trial.acts("list", "Node//", CLOSED + 0.1)
    trial.acts("list", "Node//", CLOSED + 0.2, responseStatus={"code": 403})
    case = open_case(trial.record())
    assert len(case.acts) == before
    assert actors_of_the_agents_user(case)[-2:] == [(PROBED, Actor.HARNESS)] * 2


@pytest.mark.parametrize("at", [CLOSED - 1, TURN_END + 1])
def test_the_same_question_at_another_time_is_the_agents(trial: Trial, at: float) -> None:
    trial.acts("list", "Node//", at)
    assert (PROBED, Actor.AGENT) in actors_of_the_agents_user(open_case(trial.record()))


@pytest.mark.parametrize(
    ("verb", "text"), [("list", "Secret/hotel/"), ("get", "Node//worker-1"), ("patch", "Node//w")]
)
def test_any_other_request_at_the_end_is_the_agents(trial: Trial, verb: str, text: str) -> None:
    trial.acts(verb, text, CLOSED + 0.1)
    assert actors_of_the_agents_user(open_case(trial.record()))[-1][1] is Actor.AGENT


def test_the_agent_taking_its_own_rights_away_hides_none_of_its_questions(trial: Trial) -> None:
    trial.acts("delete", "ClusterRoleBinding//session", 41)
    trial.acts("list", "Node//", 42)
    assert (PROBED, Actor.AGENT) in actors_of_the_agents_user(open_case(trial.record()))


def test_without_the_second_marker_the_question_is_still_the_harness(trial: Trial) -> None:
    trial.events = [e for e in trial.events if e["objectRef"].get("name") != "m-end"]
    trial.acts("list", "Node//", CLOSED + 0.1)
    assert (PROBED, Actor.HARNESS) in actors_of_the_agents_user(open_case(trial.record()))
