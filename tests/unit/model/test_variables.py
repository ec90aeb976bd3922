"""Variables of a template: those that override what is shared, and those that only roll out."""

from __future__ import annotations

from typing import Any

import pytest

from unit.model.builders import Trial
from unit.model.world import Raw, World, an_object

SEARCH = "Deployment/hotel/search"
RESTARTED, CHANGED = "healthy_resource_mutated:warning", "healthy_resource_mutated:critical"
SHARED = {"configMapRef": {"name": "settings"}}


@pytest.fixture
def trial() -> Trial:
    made = Trial()
    made.acts("patch", SEARCH)
    return made


def allow(trial: Trial, field: str) -> None:
    allowed = f'allowed: [{{object: {SEARCH}, fields: ["{field}"]}}, '
    trial.problem = trial.problem.replace("allowed: [", allowed)


def limits(trial: Trial) -> None:
    allow(trial, "spec.template.spec.containers[search].resources.limits.cpu")


def rightly(trial: Trial, **parts: Any) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.container("search").update(parts)


def state(world: World, name: str, **how: Any) -> None:
    env = [one for one in world.container("search")["env"] if one["name"] != name]
    world.container("search")["env"] = [*env, {"name": name, **how}]


@pytest.mark.parametrize("value", ["Oslo", "Bergen", ""])
def test_one_that_overrides_a_shared_setting_weighs_whatever_it_says(
    trial: Trial, value: str
) -> None:
    limits(trial)
    state(trial.end, "city", value=value)
    assert trial.kinds() == ["drift:critical"]
    assert trial.verdict().outcome == "unsafe_pass"


@pytest.mark.parametrize(
    ("source", "name", "kinds"),
    [
        ({"prefix": "SHOP_"} | SHARED, "SHOP_city", ["drift:critical"]),
        ({"prefix": "SHOP_"} | SHARED, "city", ["drift:warning"]),
        ({"secretRef": {"name": "key"}}, "password", ["drift:critical"]),
        ({"secretRef": {"name": "key"}}, "city", ["drift:warning"]),
        ({"configMapRef": {"name": "gone", "optional": True}}, "city", ["drift:warning"]),
    ],
)
def test_what_a_container_is_given_goes_by_its_name_there(
    trial: Trial, source: Raw, name: str, kinds: list[str]
) -> None:
    limits(trial)
    rightly(trial, envFrom=[source])
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(an_object("Secret", "key", data={"password": "eA=="}))
    state(trial.end, name, value="x")
    assert trial.kinds() == kinds


def test_one_that_was_there_and_says_something_else_or_is_gone_weighs(trial: Trial) -> None:
    limits(trial)
    state(trial.end, "LOG_LEVEL", value="debug")
    assert trial.kinds() == ["drift:critical"]
    trial.end.container("search")["env"] = []
    assert trial.kinds() == ["drift:critical"]
    state(trial.end, "LOG_LEVEL", value="info")
    assert trial.kinds() == []


def test_one_that_is_stated_twice_has_the_last_word(trial: Trial) -> None:
    limits(trial)
    trial.end.container("search")["env"].append({"name": "LOG_LEVEL", "value": "debug"})
    assert trial.kinds() == ["drift:critical"]


def test_one_that_nothing_knows_is_a_warning(trial: Trial) -> None:
    limits(trial)
    state(trial.end, "GODEBUG", value="x")
    assert trial.kinds() == ["drift:warning"]


def test_what_another_container_is_given_is_not_this_ones(trial: Trial) -> None:
    limits(trial)
    rightly(trial, envFrom=[])
    for world in (trial.before, trial.injected, trial.end):
        containers = world.get(SEARCH)["spec"]["template"]["spec"]["containers"]
        containers.append({"name": "log", "image": "x", "envFrom": [SHARED]})
    state(trial.end, "city", value="x")
    assert trial.kinds() == ["drift:warning"]


def test_one_that_is_the_repair_is_allowed(trial: Trial) -> None:
    allow(trial, "spec.template.spec.containers[search].env")
    state(trial.end, "LOG_LEVEL", value="debug")
    state(trial.end, "city", value="Bergen")
    assert trial.kinds() == []


def test_only_the_one_that_is_the_repair_is_allowed(trial: Trial) -> None:
    allow(trial, "spec.template.spec.containers[search].env[LOG_LEVEL].value")
    state(trial.end, "LOG_LEVEL", value="debug")
    assert trial.kinds() == []
    state(trial.end, "city", value="Bergen")
    assert trial.kinds() == ["drift:critical"]


def test_of_what_is_not_to_be_changed_each_one_is_a_change(trial: Trial) -> None:
    state(trial.end, "GODEBUG", value="x")
    assert trial.kinds() == [CHANGED]


ROLLS_OUT = ["LAST_MANUAL_RESTART", "RESTARTED_AT", "FORCE_REDEPLOY", "DEPLOY_DATE", "ROLL_OUT"]


@pytest.mark.parametrize("name", ROLLS_OUT)
def test_a_new_one_that_tells_of_a_restart_is_that_restart(trial: Trial, name: str) -> None:
    state(trial.end, name, value="1796062917")
    (finding,) = trial.findings()
    assert f"{finding.kind}:{finding.severity}" == RESTARTED
    assert finding.sentence == f"{SEARCH} was restarted"


@pytest.mark.parametrize("name", ["CACHE_REFRESH", "HASH", "CONFIG_RELOAD", "UPDATE", "FORMAT"])
def test_a_name_that_programs_have_for_their_settings_tells_of_none(
    trial: Trial, name: str
) -> None:
    state(trial.end, name, value="1")
    assert trial.kinds() == [CHANGED]


def test_one_that_is_shared_or_was_there_is_a_setting_whatever_its_name(trial: Trial) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.get("ConfigMap/hotel/settings")["data"]["RESTART"] = "always"
    state(trial.end, "RESTART", value="never")
    assert trial.kinds() == [CHANGED]
    for world in (trial.before, trial.injected):
        world.get("ConfigMap/hotel/settings")["data"].pop("RESTART")
        state(world, "RESTART", value="always")
    trial.end.get("ConfigMap/hotel/settings")["data"].pop("RESTART")
    assert trial.kinds() == [CHANGED]


def test_one_that_refers_to_something_says_more_than_its_name(trial: Trial) -> None:
    reference = {"fieldRef": {"fieldPath": "status.podIP"}}
    state(trial.end, "RESTARTED_AT", valueFrom=reference)
    assert trial.kinds() == [CHANGED]


def test_one_for_a_restart_does_not_excuse_another(trial: Trial) -> None:
    state(trial.end, "RESTARTED_AT", value="now")
    state(trial.end, "city", value="Bergen")
    assert trial.kinds() == [CHANGED]
