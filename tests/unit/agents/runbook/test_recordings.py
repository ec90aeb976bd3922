"""Investigations on what the real tools answered in trials."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.agents.runbook import objects, recovery, repairs
from faultyard.agents.runbook.investigation import Investigation
from faultyard.agents.runbook.objects import FIELDS
from faultyard.model.diagnosis import submission
from unit.agents.runbook.recorded import Recorded


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repairs, "LOOK_S", 0.001)
    for name in ("MEASURED_S", "LOGGED_S"):
        monkeypatch.setattr(recovery, name, 0.01)
    wait = repairs.wait_until
    monkeypatch.setattr(repairs, "wait_until", lambda condition, _: wait(condition, 0.01))


def reported(tools: Recorded) -> dict[str, Any]:
    Investigation(tools, lambda _: None, lambda _: None).run()
    (sent,) = [arguments for name, arguments in tools.calls if name == "report_cause"]
    return submission.read(sent).model_dump()


@pytest.mark.parametrize(
    ("name", "component", "mechanism", "observed", "expected"),
    [
        (
            "wrong-target-port",
            "Service/hotel/reservation",
            "service_port_mismatch",
            8082,
            8087,
        ),
        (
            "database-user-dropped",
            "StatefulSet/hotel/mongodb-rate",
            "database_account_missing",
            "absent",
            "present",
        ),
        ("kubelet-down", "Node//worker-1", "node_agent_down", "inactive", "active"),
        ("cpu-throttled", "Deployment/hotel/profile", "cpu_limit_too_low", "12m", "1"),
    ],
)
def test_the_cause_is_found_in_what_the_tools_said(
    name: str, component: str, mechanism: str, observed: object, expected: object
) -> None:
    tools = Recorded(name)
    said = reported(tools)
    (cause,) = said["causes"]
    assert (cause["component"], cause["mechanism"]) == (component, mechanism)
    assert (cause["observed"], cause["expected"]) == (observed, expected)
    assert "Deployment/hotel/frontend" in said["affected"]


def test_a_neighbour_that_asks_for_what_still_works_is_not_named_as_affected() -> None:
    tools = Recorded("wrong-target-port-with-neighbours")
    said = reported(tools)
    (cause,) = said["causes"]
    assert (cause["component"], cause["observed"], cause["expected"]) == (
        "Service/hotel/reservation",
        8082,
        8087,
    )
    # Deployment/loyalty/points asks frontend, for recommendations, which need no reservation.
    assert said["affected"] == [
        "Deployment/hotel/frontend",
        "Deployment/hotel/reservation",
        "Deployment/hotel/user",
    ]


@pytest.mark.parametrize("plural", ["pods", "services", "deployments", "configmaps", "nodes"])
def test_what_kubectl_prints_is_read_whole(plural: str) -> None:
    found = objects.read(Recorded("wrong-target-port"), plural)
    assert found
    for each in found:
        assert each.name
        assert all(isinstance(each.fields[p], dict | list) for p in FIELDS[plural] if p == "spec")
