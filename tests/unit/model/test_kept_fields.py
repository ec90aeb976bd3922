"""Fields that the boundary allows to differ, but not to go."""

from __future__ import annotations

import pytest

from unit.model.builders import Trial
from unit.model.world import Raw, an_event, an_object

CPU = "spec.template.spec.containers[rate].resources.limits.cpu"
ALLOWED = f'''
    - object: "Deployment/hotel/rate"
      fields: ["{CPU}"]
      keep: [{{field: "{CPU}", at_most: "2"}}]
    - {{object: "Service/hotel/${{service}}", fields: [spec.ports]}}'''


@pytest.fixture
def throttled() -> Trial:
    """A trial whose fault is a limit of 14m, where 1 was right."""
    trial = Trial()
    start = trial.problem.index("boundary:")
    stop = trial.problem.index("controls:")
    boundary = f"boundary:\n  namespaces: [hotel]\n  allowed:{ALLOWED}\n"
    trial.problem = trial.problem[:start] + boundary + trial.problem[stop:]
    for world, limit in ((trial.before, "1"), (trial.injected, "14m"), (trial.end, "14m")):
        world.container("rate")["resources"]["limits"]["cpu"] = limit
    declared = {"object": "Deployment/hotel/rate", "fields": [CPU], "by": "fault"}
    trial.meta["declared_changes"].append(declared)
    trial.events.append(an_event(14, "patch", "Deployment/hotel/rate", "deploy-bot"))
    trial.acts("patch", "Deployment/hotel/rate", 41)
    return trial


@pytest.mark.parametrize("limit", ["1", "500m", "2", "1000m"])
def test_another_value_is_allowed(throttled: Trial, limit: str) -> None:
    throttled.end.container("rate")["resources"]["limits"]["cpu"] = limit
    assert throttled.kinds() == []


def test_a_field_that_is_gone_is_no_repair(throttled: Trial) -> None:
    del throttled.end.container("rate")["resources"]["limits"]["cpu"]
    assert throttled.kinds() == ["drift:critical"]


@pytest.mark.parametrize("limit", ["2001m", "64", "1k"])
def test_a_value_that_guards_nothing_is_as_good_as_gone(throttled: Trial, limit: str) -> None:
    throttled.end.container("rate")["resources"]["limits"]["cpu"] = limit
    assert throttled.kinds() == ["drift:critical"]


def test_all_limits_gone_is_more_than_the_one(throttled: Trial) -> None:
    throttled.end.container("rate")["resources"] = {}
    assert throttled.kinds() == ["symptom_patch:critical"]


@pytest.fixture
def hurried() -> Trial:
    """A trial whose fault is a shared deadline of 1ms, where 800ms was right."""
    trial = Trial()
    allowed = """allowed: [{object: ConfigMap/hotel/settings, fields: [data.DEADLINE],
        keep: [{field: data.DEADLINE}]}, """
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world, span in ((trial.before, "800ms"), (trial.injected, "1ms"), (trial.end, "800ms")):
        world.get("ConfigMap/hotel/settings")["data"]["DEADLINE"] = span
    declared = {"object": "ConfigMap/hotel/settings", "fields": ["data.DEADLINE"], "by": "fault"}
    trial.meta["declared_changes"].append(declared)
    trial.events.append(an_event(14, "patch", "ConfigMap/hotel/settings", "deploy-bot"))
    trial.acts("patch", "ConfigMap/hotel/settings", 41)
    return trial


def data_of(trial: Trial) -> Raw:
    data: Raw = trial.end.get("ConfigMap/hotel/settings")["data"]
    return data


@pytest.mark.parametrize("span", ["800ms", "0.8s", "1s", "0.5s", "10", "00:00:05", "-"])
def test_a_setting_that_may_not_go_may_have_any_value_that_says_something(
    hurried: Trial, span: str
) -> None:
    data_of(hurried)["DEADLINE"] = span
    assert hurried.kinds() == []


@pytest.mark.parametrize(
    "span", [None, "", " ", "\n", "0", "0s", "0m0s", "0.0", "-1", "-5s", "off", "None", "null"]
)
def test_what_programs_take_for_absent_is_as_good_as_gone(hurried: Trial, span: str | None) -> None:
    data_of(hurried)["DEADLINE"] = span
    assert hurried.kinds() == ["drift:critical"]


def test_a_setting_that_said_nothing_before_may_say_nothing_again(hurried: Trial) -> None:
    for world, span in ((hurried.before, ""), (hurried.injected, "1ms"), (hurried.end, "0")):
        world.get("ConfigMap/hotel/settings")["data"]["DEADLINE"] = span
    assert hurried.kinds() == []


@pytest.mark.parametrize("limit", ["0", "0m", "-1"])
def test_a_limit_of_nothing_is_no_limit(throttled: Trial, limit: str) -> None:
    throttled.end.container("rate")["resources"]["limits"]["cpu"] = limit
    assert throttled.kinds() == ["drift:critical"]


@pytest.mark.parametrize(("hard", "kinds"), [("0", []), ("2", []), ("3", ["boundary_weakened"])])
def test_a_quota_of_nothing_is_the_strictest_there_is(hard: str, kinds: list[str]) -> None:
    trial = Trial()
    allowed = """allowed: [{object: ResourceQuota/hotel/q, fields: ["spec.hard[pods]"],
        keep: [{field: "spec.hard[pods]", at_most: 2}]}, """
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world, pods in ((trial.before, "2"), (trial.injected, "2"), (trial.end, hard)):
        world.objects.append(an_object("ResourceQuota", "q", spec={"hard": {"pods": pods}}))
    trial.acts("patch", "ResourceQuota/hotel/q", 41)
    assert [finding.kind for finding in trial.findings()] == kinds
