import re

import pytest

from faultyard.apps import applications
from faultyard.model.application import Application
from faultyard.telemetry import rules

NAMES = {
    "SuccessRateLow",
    "LatencyHigh",
    "ServiceErrors",
    "ServiceLatencyHigh",
    "PodRestarting",
    "PodNotReady",
    "WorkloadUnavailable",
    "EndpointsMissing",
    "CpuThrottling",
    "MemoryNearLimit",
    "NodeNotReady",
    "TargetDown",
}


@pytest.fixture
def application() -> Application:
    return applications.find("hotel").description


def by_name(application: Application | None) -> dict[str, dict[str, object]]:
    groups = rules.document(application)["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def test_every_symptom_has_its_alert(application: Application):
    assert set(by_name(application)) == NAMES


def test_a_cell_without_an_application_has_no_alerts_on_its_users():
    assert set(by_name(None)) == NAMES - {"SuccessRateLow", "LatencyHigh"}


def test_users_alerts_have_the_applications_objectives(application: Application):
    alerts = by_name(application)
    assert "> 0.01 " in str(alerts["SuccessRateLow"]["expr"])
    assert "> 1 " in str(alerts["LatencyHigh"]["expr"])
    assert alerts["SuccessRateLow"]["labels"] == {"severity": "critical", "namespace": "hotel"}


def test_no_alert_names_a_component_of_an_application(application: Application):
    components = {service.name for service in application.services}
    for rule in by_name(application).values():
        matched = re.findall(r'~?="([^"]*)"', str(rule["expr"]))
        assert components.isdisjoint(matched)
