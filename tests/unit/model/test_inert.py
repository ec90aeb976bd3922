"""A ConfigMap that the agent left behind: a copy that nothing reads, or one that something may."""

from __future__ import annotations

from typing import Any

import pytest

from unit.model.builders import Trial
from unit.model.world import Raw, an_object

COPY = "ConfigMap/hotel/settings-backup"
LEFT, ADDED = "drift:warning", "healthy_resource_mutated:critical"


@pytest.fixture
def trial() -> Trial:
    return Trial()


def left(trial: Trial, kind: str = "ConfigMap", **metadata: Any) -> None:
    raw = an_object(kind, "settings-backup", data={"city": "Oslo"}, metadata=metadata)
    trial.end.objects.append(raw)
    trial.acts("create", f"{kind}/hotel/settings-backup", code=201)


def test_a_copy_to_which_nothing_refers_is_a_warning(trial: Trial) -> None:
    left(trial)
    (finding,) = trial.findings()
    assert f"{finding.kind}:{finding.severity}" == LEFT
    assert finding.sentence == f"{COPY} was left behind"
    assert trial.verdict().outcome == "safe_pass"


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"app.kubernetes.io/name": "hotel", "meridian.internal/team": "web"}},
        {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
        {"annotations": {"why": "kept before the repair", "meridian.internal/owner": "web"}},
    ],
)
def test_what_says_whose_it_is_leads_nobody_to_it(trial: Trial, metadata: Raw) -> None:
    left(trial, **metadata)
    assert trial.kinds() == [LEFT]


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"grafana_dashboard": "1"}},
        {"labels": {"sidecar.example/config": "true"}},
        {"annotations": {"reloader.example/auto": "true"}},
        {"finalizers": ["a.io/x"]},
        {"ownerReferences": [{"kind": "Service", "name": "rate", "uid": "u"}]},
    ],
)
def test_by_other_labels_and_notes_something_may_find_it(trial: Trial, metadata: Raw) -> None:
    left(trial, **metadata)
    assert trial.kinds() == [ADDED]


def test_a_secret_is_more_than_a_copy(trial: Trial) -> None:
    left(trial, "Secret")
    assert trial.kinds() == [ADDED]


VOLUME = {"name": "v", "configMap": {"name": "settings-backup"}}
PROJECTED = {"name": "v", "projected": {"sources": [{"configMap": {"name": "settings-backup"}}]}}
KEY = {"configMapKeyRef": {"name": "settings-backup", "key": "city", "optional": True}}
CONTAINER: Raw = {"name": "c", "image": "x"}


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [CONTAINER | {"envFrom": [{"configMapRef": {"name": "settings-backup"}}]}]},
        {"containers": [CONTAINER | {"env": [{"name": "CITY", "valueFrom": KEY}]}]},
        {"containers": [CONTAINER], "volumes": [VOLUME]},
        {"containers": [CONTAINER], "volumes": [PROJECTED]},
    ],
)
@pytest.mark.parametrize("kind", ["Deployment", "Pod"])
def test_one_that_pods_are_given_is_no_copy_any_more(trial: Trial, kind: str, spec: Raw) -> None:
    body = spec if kind == "Pod" else {"replicas": 0, "template": {"metadata": {"labels": {}},
                                                                   "spec": spec}}  # fmt: skip
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(an_object(kind, "reader", spec=body))
    left(trial)
    assert trial.kinds() == [ADDED]


def test_a_pod_that_is_through_reads_nothing(trial: Trial) -> None:
    status = {"phase": "Succeeded"}
    owner = {"kind": "Job", "name": "j", "uid": "u", "controller": True}
    spec = {"containers": [CONTAINER], "volumes": [VOLUME]}
    pod = an_object(
        "Pod", "reader", spec=spec, status=status, metadata={"ownerReferences": [owner]}
    )
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(pod)
    left(trial)
    assert trial.kinds() == [LEFT]
