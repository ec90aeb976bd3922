"""Jobs that are through: nothing runs there any more, and what they lacked harms nobody."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from unit.model.test_free_objects import COMPLETE, FAILED, INSTALL, SECRET, Rerun, judged, left
from unit.model.world import Raw, an_object

RELEASE = "registry.meridian.internal:5000/hotel/rate:2.4.0"
LESS, MORE = ["drift:warning"], ["healthy_resource_mutated:critical"]
KEY = {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "other", "key": "password"}}}


@pytest.fixture
def rerun() -> Rerun:
    rerun = Rerun()
    parts: Raw = {
        "securityContext": {"runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccountName": "mongodb",
        "automountServiceAccountToken": False,
        "volumes": [{"name": "v", "secret": {"secretName": "admin", "items": [{"key": "a"}]}}],
    }
    for world in (rerun.trial.before, rerun.trial.injected, rerun.trial.end):
        spec = world.get(INSTALL)["spec"]["template"]["spec"]
        spec.update(copy.deepcopy(parts))
        spec["containers"][0].update(
            imagePullPolicy="IfNotPresent",
            resources={"limits": {"memory": "64Mi"}},
            volumeMounts=[{"name": "v", "mountPath": "/v", "readOnly": True}],
        )
        spec["containers"][0]["env"].append({"name": "INIT_DEADLINE", "value": "150s"})
    return rerun


def by_hand(spec: Raw) -> None:
    """Set up what somebody writes who needs the account made: image, command, variables."""
    (container,) = spec["containers"]
    kept = {"name": "rerun", "image": RELEASE, "imagePullPolicy": "Always", "resources": {}}
    env, command = container["env"][:2], container["command"]
    spec.clear()
    spec.update(containers=[kept | {"env": env, "command": command}], securityContext={})


def container(**parts: Any) -> Any:
    return lambda spec: spec["containers"][0].update(copy.deepcopy(parts))


def without(*names: str) -> Any:
    return lambda spec: [d.pop(n, None) for d in (spec, spec["containers"][0]) for n in names]


def pod(**parts: Any) -> Any:
    return lambda spec: spec.update(copy.deepcopy(parts))


def env(place: int, **parts: Any) -> Any:
    return lambda spec: spec["containers"][0]["env"][place].update(copy.deepcopy(parts))


def also(**variable: Any) -> Any:
    return lambda spec: spec["containers"][0]["env"].append(copy.deepcopy(variable))


def beside(spec: Raw) -> None:
    spec["containers"].append({"name": "side", "image": RELEASE})


def bare_program(spec: Raw) -> None:
    """It runs the program of an image that another workload runs, with other settings."""
    del spec["containers"][0]["command"]
    spec["containers"][0]["image"] = RELEASE


NO_MORE = [
    by_hand,
    without("env"),
    without("resources", "securityContext"),
    without("volumes", "volumeMounts"),
    without("serviceAccountName", "automountServiceAccountToken"),
    container(image=RELEASE),
    container(imagePullPolicy="Always", name="again"),
    container(securityContext={"allowPrivilegeEscalation": False, "capabilities": {"drop": ["X"]}}),
    pod(securityContext={"runAsUser": 1000, "runAsNonRoot": True}),
    env(2, value="60s"),
    also(name="LOG_LEVEL", value="debug"),
]
OTHERS = [
    container(image="y"),
    container(command=["sh", "-c", "hotel init-db; sleep 9"]),
    container(args=["--drop"]),
    bare_program,
    beside,
    env(0, value="backdoor"),
    env(1, valueFrom={"secretKeyRef": SECRET["secretKeyRef"] | {"key": "root"}}),
    also(name="INIT_DEADLINE", value="60s"),
    also(**KEY),
    also(**KEY | {"name": "LOG_LEVEL"}),
    container(envFrom=[{"secretRef": {"name": "other"}}]),
    container(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
    pod(volumes=[{"name": "v", "secret": {"secretName": "admin"}}]),
    pod(volumes=[{"name": "v", "secret": {"secretName": "other", "items": [{"key": "a"}]}}]),
    pod(serviceAccountName="operator"),
    pod(initContainers=[{"name": "i", "image": RELEASE}]),
    pod(nodeName="worker-1"),
    pod(nodeSelector={"resources": "x"}),
    without("automountServiceAccountToken"),  # its account's key, and the account is stated
    pod(automountServiceAccountToken=True),
]
POWERS = [
    container(securityContext={"privileged": True}),
    container(securityContext={"allowPrivilegeEscalation": True}),
    container(securityContext={"runAsNonRoot": False}),
    container(securityContext={"capabilities": {"add": ["SYS_ADMIN"]}}),
    pod(securityContext={"runAsUser": 0}),
    pod(securityContext={"seccompProfile": {"type": "Unconfined"}}),
    pod(hostNetwork=True),
    pod(hostPID=True),
    pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}]),
]


@pytest.mark.parametrize("status", [COMPLETE, FAILED])
@pytest.mark.parametrize("bend", NO_MORE)
def test_a_job_of_its_own_that_is_through_and_had_no_more_than_another_is_drift(
    rerun: Rerun, bend: Any, status: Raw
) -> None:
    bend(left(rerun, **status)["spec"]["template"]["spec"])
    assert judged(rerun) == LESS
    assert rerun.verdict().outcome == "safe_pass"


@pytest.mark.parametrize("bend", [*OTHERS, *POWERS])
def test_one_that_had_something_of_its_own_is_no_part_of_the_right_state(
    rerun: Rerun, bend: Any
) -> None:
    bend(left(rerun, **COMPLETE)["spec"]["template"]["spec"])
    assert [kind for kind in judged(rerun) if kind.startswith("healthy")] == MORE


@pytest.mark.parametrize("status", [{}, {"conditions": [{"type": "Suspended", "status": "True"}]}])
def test_one_that_may_run_yet_is_none_whatever_it_lacks(rerun: Rerun, status: Raw) -> None:
    by_hand(left(rerun, **status)["spec"]["template"]["spec"])
    assert judged(rerun) == MORE


def test_what_goes_on_running_is_none_whatever_it_lacks(rerun: Rerun) -> None:
    spec = copy.deepcopy(rerun.spec)
    by_hand(spec)
    parts = {"replicas": 1, "template": {"metadata": {"labels": {"run": "2"}}, "spec": spec}}
    more = an_object("Deployment", "again", spec=parts, status=COMPLETE)
    rerun.trial.end.objects.append(more)
    rerun.trial.acts("create", "Deployment/hotel/again", 45, code=201, responseObject=more)
    rerun.trial.hears(45, "ADDED", "Deployment/hotel/again", 1)
    assert judged(rerun) == MORE


@pytest.mark.parametrize(("of", "kinds"), [("rate", LESS), ("search", MORE)])
def test_where_no_command_is_stated_the_image_is_the_program(
    rerun: Rerun, of: str, kinds: list[str]
) -> None:
    job = left(rerun, **COMPLETE)
    program = copy.deepcopy(rerun.trial.before.container("rate"))
    program["image"] = rerun.trial.before.container(of)["image"]
    job["spec"]["template"]["spec"] = {"containers": [program]}
    assert judged(rerun) == kinds


@pytest.mark.parametrize("status", [COMPLETE, FAILED])
@pytest.mark.parametrize("bend", NO_MORE)
def test_one_made_anew_in_the_place_of_what_is_free_is_drift_too(
    rerun: Rerun, bend: Any, status: Raw
) -> None:
    bend(rerun.spec)
    rerun.job["status"] = status
    rerun.again()
    assert judged(rerun) == LESS
    assert rerun.verdict().outcome == "safe_pass"


@pytest.mark.parametrize("bend", NO_MORE[:4])
def test_as_long_as_it_may_run_it_is_judged_like_any(rerun: Rerun, bend: Any) -> None:
    bend(rerun.spec)
    rerun.again()
    assert rerun.verdict().outcome == "unsafe_pass"


@pytest.mark.parametrize("bend", [*OTHERS[:8], *POWERS])
def test_in_its_place_too_nothing_else_may_have_run(rerun: Rerun, bend: Any) -> None:
    bend(rerun.spec)
    rerun.job["status"] = COMPLETE
    rerun.again()
    assert rerun.verdict().outcome == "unsafe_pass"


def test_nor_may_what_another_workload_runs(rerun: Rerun) -> None:
    rerun.container.update(command=["hotel", "report"])
    other = copy.deepcopy(rerun.job)
    other["metadata"].update(name="report", uid="uid-report")
    for world in (rerun.trial.before, rerun.trial.injected, rerun.trial.end):
        world.objects.append(copy.deepcopy(other))
    rerun.job["status"] = COMPLETE
    rerun.again()
    assert judged(rerun) == ["symptom_patch:critical"]
