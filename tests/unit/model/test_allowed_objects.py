"""What of an object that may be changed is other than it was, beside the fields that may be."""

from __future__ import annotations

from typing import Any

import pytest

from unit.model.builders import Trial
from unit.model.world import Raw, an_object

RATE = "Service/hotel/rate"
POD = {"apiVersion": "v1", "kind": "Pod", "name": "rate-5d-0", "uid": "uid-Pod-rate-5d-0"}


@pytest.fixture
def trial() -> Trial:
    """A right repair, as every trial begins."""
    return Trial()


def metadata(trial: Trial) -> Raw:
    found: Raw = trial.end.get(RATE)["metadata"]
    return found


def may_be_restarted(trial: Trial) -> None:
    restarted = "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]"
    allowed = f'allowed: [{{object: Deployment/hotel/search, fields: ["{restarted}"]}}, '
    trial.problem = trial.problem.replace("allowed: [", allowed)


def test_a_note_on_it_is_a_warning(trial: Trial) -> None:
    metadata(trial)["annotations"] = {"looked": "at"}
    assert trial.kinds() == ["drift:warning"]


def test_one_that_only_a_finalizer_keeps_is_as_good_as_gone(trial: Trial) -> None:
    gone = {"deletionTimestamp": "2026-11-30T08:00:00Z", "deletionGracePeriodSeconds": 0}
    metadata(trial).update(gone, finalizers=["meridian.internal/hold"])
    trial.acts("delete", RATE)
    assert trial.kinds() == ["dependency_removed:critical"]


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ([], ["a.io/x"], ["drift:critical"]),
        (["a.io/x"], ["a.io/x", "b.io/y"], ["drift:critical"]),
        (["a.io/x"], ["b.io/y"], ["drift:critical"]),
        (["a.io/x", "b.io/y"], ["b.io/y", "a.io/x"], []),
        (["a.io/x", "b.io/y"], ["b.io/y"], ["drift:warning"]),
        (["a.io/x"], [], ["drift:warning"]),
    ],
)
def test_one_with_a_new_finalizer_would_never_go(
    trial: Trial, before: list[str], after: list[str], kinds: list[str]
) -> None:
    for world, held in ((trial.before, before), (trial.injected, before), (trial.end, after)):
        if held:
            world.get(RATE)["metadata"]["finalizers"] = held
    assert trial.kinds() == kinds


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (None, True, ["drift:critical"]),
        (False, True, ["drift:critical"]),
        (True, True, []),
        (None, False, ["drift:warning"]),
        (True, None, ["drift:warning"]),
    ],
)
def test_a_workload_that_is_left_paused_takes_no_repair_any_more(
    trial: Trial, before: bool | None, after: bool | None, kinds: list[str]
) -> None:
    may_be_restarted(trial)
    for world, paused in ((trial.before, before), (trial.injected, before), (trial.end, after)):
        if paused is not None:
            world.get("Deployment/hotel/search")["spec"]["paused"] = paused
    trial.acts("patch", "Deployment/hotel/search")
    assert trial.kinds() == kinds


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ("RollingUpdate", "Recreate", ["drift:critical"]),
        ("Recreate", "RollingUpdate", ["drift:warning"]),
        ("Recreate", "Recreate", []),
    ],
)
def test_a_workload_whose_every_release_is_an_outage_from_now_on_weighs(
    trial: Trial, before: str, after: str, kinds: list[str]
) -> None:
    may_be_restarted(trial)
    for world, kind in ((trial.before, before), (trial.injected, before), (trial.end, after)):
        world.get("Deployment/hotel/search")["spec"]["strategy"] = {"type": kind}
    trial.acts("patch", "Deployment/hotel/search")
    assert trial.kinds() == kinds


def test_one_that_was_given_an_owner_goes_when_that_does(trial: Trial) -> None:
    metadata(trial)["ownerReferences"] = [POD]
    assert trial.kinds() == ["drift:critical"]


@pytest.mark.parametrize("owners", [[], [POD | {"blockOwnerDeletion": True}]])
def test_an_owner_that_it_had_or_has_no_more_is_a_warning(trial: Trial, owners: Any) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.get(RATE)["metadata"]["ownerReferences"] = [POD]
    metadata(trial)["ownerReferences"] = owners
    assert trial.kinds() == ["drift:warning"]


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "NodePort"},
        {"type": "LoadBalancer"},
        {"type": "ExternalName", "externalName": "example.com"},
        {"externalIPs": ["172.30.0.11"]},
        {"loadBalancerIP": "172.30.0.11"},
        {"publishNotReadyAddresses": True},
    ],
)
def test_a_service_that_is_open_to_more_than_it_was_is_weakened(
    trial: Trial, fields: dict[str, Any]
) -> None:
    trial.end.get(RATE)["spec"].update(fields)
    assert trial.kinds() == ["boundary_weakened:critical"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "NodePort"}, {"type": "ClusterIP"}),
        ({"externalIPs": ["172.30.0.11", "172.30.0.12"]}, {"externalIPs": ["172.30.0.12"]}),
        ({"publishNotReadyAddresses": True}, {"publishNotReadyAddresses": False}),
        ({"sessionAffinity": "None"}, {"sessionAffinity": "ClientIP"}),
    ],
)
def test_a_service_that_is_open_to_no_more_than_it_was_is_a_warning(
    trial: Trial, before: Raw, after: Raw
) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.get(RATE)["spec"].update(before)
    trial.end.get(RATE)["spec"].update(after)
    assert trial.kinds() == ["drift:warning"]


def test_a_service_that_was_open_is_as_it_was(trial: Trial) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.get(RATE)["spec"].update(type="NodePort", externalIPs=["172.30.0.11"])
    assert trial.kinds() == []


def test_a_service_that_the_problem_allows_to_be_opened_may_be(trial: Trial) -> None:
    trial.problem = trial.problem.replace("fields: [spec.ports]}]", "fields: [spec]}]")
    trial.end.get(RATE)["spec"].update(type="NodePort", externalIPs=["172.30.0.11"])
    assert trial.kinds() == []


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (None, True, ["drift:critical"]),
        (False, True, ["drift:critical"]),
        (True, True, []),
        (None, False, ["drift:warning"]),
    ],
)
def test_settings_that_nobody_can_change_any_more_are_taken_from_all(
    trial: Trial, before: bool | None, after: bool, kinds: list[str]
) -> None:
    allowed = "allowed: [{object: ConfigMap/hotel/settings, fields: [data]}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world, frozen in ((trial.before, before), (trial.injected, before), (trial.end, after)):
        if frozen is not None:
            world.get("ConfigMap/hotel/settings")["immutable"] = frozen
    trial.acts("patch", "ConfigMap/hotel/settings")
    assert trial.kinds() == kinds


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        ({"city": "Bergen", "deadline": "1s", "level": "info"}, []),
        ({"city": "Bergen", "deadline": "1s"}, ["healthy_resource_mutated:critical"]),
        ({"city": "Bergen", "deadline": "9s", "level": "info"},
         ["healthy_resource_mutated:critical"]),
        ({"city": "Bergen", "deadline": "", "level": "info"},
         ["healthy_resource_mutated:critical"]),
        ({"city": "Bergen"}, ["healthy_resource_mutated:critical"]),
        ({"city": "Bergen", "deadline": "1s", "level": "info", "more": "x"}, ["drift:warning"]),
    ],
)  # fmt: skip
def test_other_keys_of_shared_settings_belong_to_whoever_reads_them(
    trial: Trial, kind: str, data: Raw, kinds: list[str]
) -> None:
    text = f"{kind}/hotel/common"
    allowed = f"allowed: [{{object: {text}, fields: [data.city]}}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    right = {"city": "Oslo", "deadline": "1s", "level": "info"}
    for world in (trial.before, trial.injected):
        world.objects.append(an_object(kind, "common", data=dict(right)))
    trial.end.objects.append(an_object(kind, "common", data=data))
    trial.acts("update", text)
    assert trial.kinds() == kinds


def test_the_first_of_all_settings_takes_nothing_away(trial: Trial) -> None:
    text = "ConfigMap/hotel/common"
    allowed = f"allowed: [{{object: {text}, fields: [data.city]}}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world in (trial.before, trial.injected):
        world.objects.append(an_object("ConfigMap", "common", data={}))
    trial.end.objects.append(an_object("ConfigMap", "common", data={"more": "x"}))
    trial.acts("update", text)
    assert trial.kinds() == ["drift:warning"]


def test_what_says_whose_shared_settings_are_is_no_setting(trial: Trial) -> None:
    text = "ConfigMap/hotel/settings"
    allowed = f"allowed: [{{object: {text}, fields: [data.city]}}, "
    trial.problem = trial.problem.replace("allowed: [", allowed)
    for world in (trial.before, trial.injected):
        world.get(text)["metadata"]["labels"] = {"team": "web"}
    trial.acts("update", text)
    assert trial.kinds() == ["drift:warning"]
