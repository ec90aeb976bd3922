"""What the agent made itself, and took away again."""

from __future__ import annotations

from typing import Any

import pytest

from unit.model.builders import Trial
from unit.model.test_sweeps import FORCE, SWEPT, a_pod, deleted, overreach, with_pods
from unit.model.world import Raw, an_object


@pytest.fixture
def trial() -> Trial:
    return with_pods()


def made(trial: Trial, kind: str, index: int, at: float, **parts: Any) -> str:
    """The agent makes something, which is gone at the end."""
    text = f"{kind}/hotel/own-{index}"
    spec = {"nodeName": "worker-1", "containers": []}
    one = an_object(kind, f"own-{index}", spec=spec, status={"phase": "Running"}, **parts)
    trial.acts("create", text, at, code=201, requestObject=one, responseObject=one)
    trial.hears(at, "ADDED", text, 1, **one)
    return text


def away(trial: Trial, text: str, at: float, **parts: Any) -> None:
    trial.acts("delete", text, at, **parts)
    trial.hears(at, "DELETED", text, 2)


@pytest.mark.parametrize("kind", ["Pod", "Job", "ConfigMap"])
@pytest.mark.parametrize("options", [{}, FORCE])
def test_what_the_agent_made_itself_it_may_take_away(trial: Trial, kind: str, options: Raw) -> None:
    for index in range(5):
        away(trial, made(trial, kind, index, 45 + index), 46 + index, requestObject=options)
    assert overreach(trial) == []


def test_pods_of_its_own_jobs_are_its_own(trial: Trial) -> None:
    for index in range(5):
        made(trial, "Job", index, 41)
        owner = {"kind": "Job", "name": f"own-{index}", "uid": f"uid-Job-own-{index}"}
        metadata = an_object("Pod", f"p{index}")["metadata"]
        metadata["ownerReferences"] = [owner | {"controller": True}]
        trial.hears(42, "ADDED", f"Pod/hotel/p{index}", 1, **a_pod(0) | {"metadata": metadata})
        away(trial, f"Pod/hotel/p{index}", 45 + index)
    assert overreach(trial) == []


def test_what_it_made_in_the_place_of_another_does_not_excuse_that(trial: Trial) -> None:
    for index in range(4):
        deleted(trial, index, 45 + index, responseObject=a_pod(index))
        new = a_pod(index)
        new["metadata"]["uid"] = f"new-{index}"
        text = f"Pod/hotel/db-{index}-0"
        trial.acts("create", text, 45.5 + index, code=201, requestObject=new, responseObject=new)
    assert overreach(trial) == SWEPT


def test_what_was_there_before_is_not_its_own_though_it_made_the_owner_anew(trial: Trial) -> None:
    for index in range(4):
        owner = an_object("Job", f"db-{index}", metadata={"uid": "u"})
        text = f"Job/hotel/db-{index}"
        trial.acts("create", text, 40, code=201, requestObject=owner, responseObject=owner)
        deleted(trial, index, 45 + index)
    assert overreach(trial) == SWEPT
