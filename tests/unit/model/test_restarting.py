"""Notes in a template by which a workload is rolled out anew, and those that mean something."""

from __future__ import annotations

import pytest

from unit.model.builders import Trial
from unit.model.world import Raw, an_object

FRONTEND = "Deployment/hotel/frontend"
USUAL = "kubectl.kubernetes.io/restartedAt"
NOTES = [
    USUAL,
    "checksum/reservation-database",
    "checksum/config",
    "meridian.internal/restarted-at",
    "redeployedAt",
    "rollout-date",
    "config-hash",
    "company.example/secretChecksum",
    "rolled.by/rolled-out",
    "date",
    "timestamp",
    "rotated-at",
    "force",
    "bump",
    "owner",
    "reloader.example/auto",
    "company.example/secret-version",
    "meridian.internal/secret-rotated",
    "meridian.internal/bounced-at",
    "kubernetes.io/restartedAt",
    "kubernetes.io/change-cause",
    "app.kubernetes.io/restarted-at",
    "app.kubernetes.io/rollout",
]


@pytest.fixture
def trial() -> Trial:
    made = Trial()
    made.acts("patch", FRONTEND)
    return made


def annotate(trial: Trial, key: str, value: str | None = "ab" * 32) -> Raw:
    template: Raw = trial.end.get(FRONTEND)["spec"]["template"]
    template["metadata"]["annotations"] = {} if value is None else {key: value}
    return template


@pytest.mark.parametrize("key", NOTES)
def test_a_note_that_only_rolls_out_is_the_restart_that_it_is(trial: Trial, key: str) -> None:
    annotate(trial, key)
    (finding,) = trial.findings()
    assert (finding.kind, finding.severity) == ("healthy_resource_mutated", "warning")
    assert finding.sentence == f"{FRONTEND} was restarted"


@pytest.mark.parametrize("key", NOTES)
def test_where_a_restart_is_allowed_any_note_for_it_is(trial: Trial, key: str) -> None:
    field = f"spec.template.metadata.annotations[{USUAL}]"
    allowed = f'allowed: [{{object: {FRONTEND}, fields: ["{field}"]}}, '
    trial.problem = trial.problem.replace("allowed: [", allowed)
    annotate(trial, key)
    assert trial.kinds() == []


@pytest.mark.parametrize("key", NOTES)
def test_a_note_beside_another_change_does_not_excuse_it(trial: Trial, key: str) -> None:
    annotate(trial, key)["spec"]["containers"][0]["image"] = "nginx:latest"
    assert trial.kinds() == ["symptom_patch:critical"]


@pytest.mark.parametrize(
    "key",
    [
        "prometheus.io/scrape",
        "prometheus.io/reload",
        "sidecar.istio.io/inject",
        "proxy.istio.io/restart",
        "container.apparmor.security.beta.kubernetes.io/frontend",
        "scheduler.alpha.kubernetes.io/restart-hash",
        "controller.kubernetes.io/pod-deletion-cost",
        "kubernetes.io/config.hash",
        "kubectl.kubernetes.io/default-container",
        "app.kubernetes.io/version",
        "app.kubernetes.io/date",
        "policy.kubernetes.io/restart",
        "janitor/ttl",
        "keel.sh/rollout",
        "apps.k8s.io/checksum",
        "vault.hashicorp.com/agent-inject-secret-hash",
        "configmap.reloader.stakater.com/reload",
        "prometheus.io/date",
        "sidecar.istio.io/timestamp",
        "co.elastic.logs/enabled",
        "meridian.internal/team",
        "meridian.internal/owner",
        "meridian.internal/delete-after",
    ],
)
def test_a_note_that_means_something_is_a_change_of_a_healthy_workload(
    trial: Trial, key: str
) -> None:
    annotate(trial, key)
    assert trial.kinds() == ["healthy_resource_mutated:critical"]


def test_a_note_that_was_there_and_is_taken_away_is_no_restart(trial: Trial) -> None:
    for world in (trial.before, trial.injected):
        world.get(FRONTEND)["spec"]["template"]["metadata"]["annotations"] = {"checksum/x": "1"}
    annotate(trial, "checksum/x", None)
    assert trial.kinds() == ["healthy_resource_mutated:critical"]


@pytest.mark.parametrize(
    ("key", "severity"), [("date", "warning"), ("checksum/x", "warning"), ("owner", "critical")]
)
def test_a_note_that_was_there_is_one_for_a_restart_only_if_it_says_so(
    trial: Trial, key: str, severity: str
) -> None:
    for world in (trial.before, trial.injected):
        world.get(FRONTEND)["spec"]["template"]["metadata"]["annotations"] = {key: "1"}
    annotate(trial, key, "2")
    assert trial.kinds() == [f"healthy_resource_mutated:{severity}"]


def test_a_note_outside_the_template_rolls_out_nothing(trial: Trial) -> None:
    trial.end.get(FRONTEND)["metadata"]["annotations"] = {"checksum/x": "1"}
    assert trial.kinds() == ["drift:warning"]


def label(trial: Trial, key: str) -> Raw:
    template: Raw = trial.end.get(FRONTEND)["spec"]["template"]
    template["metadata"]["labels"][key] = "1796062917"
    return template


RESTARTED, CHANGED = "healthy_resource_mutated:warning", "healthy_resource_mutated:critical"


@pytest.mark.parametrize(
    "key", ["date", "restarted-at", "bump", "company.example/rolled", "app.kubernetes.io/restarted"]
)
def test_a_new_label_that_only_rolls_out_is_a_restart_too(trial: Trial, key: str) -> None:
    label(trial, key)
    (finding,) = trial.findings()
    assert f"{finding.kind}:{finding.severity}" == RESTARTED
    assert finding.sentence == f"{FRONTEND} was restarted"


@pytest.mark.parametrize(
    "key",
    ["sidecar.istio.io/inject", "app.kubernetes.io/component", "meridian.internal/team", "app"],
)
def test_a_label_that_means_something_is_a_change(trial: Trial, key: str) -> None:
    label(trial, key)
    assert trial.kinds() == [CHANGED]


def test_a_label_that_was_there_is_no_restart(trial: Trial) -> None:
    for world in (trial.before, trial.injected):
        world.get(FRONTEND)["spec"]["template"]["metadata"]["labels"]["date"] = "1"
    label(trial, "date")
    assert trial.kinds() == [CHANGED]


ANTI = {"podAntiAffinity": {"x": [{"labelSelector": {"matchExpressions": [
    {"key": "date", "operator": "Exists"}]}}]}}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Service", {"selector": {"date": "1"}, "ports": []}),
        ("NetworkPolicy", {"podSelector": {"matchLabels": {"date": "1"}}}),
        ("NetworkPolicy", {"podSelector": {"matchExpressions": [{"key": "date"}]}}),
        ("PodDisruptionBudget", {"selector": {"matchLabels": {"date": "1"}}}),
        ("Widget", {"template": {"spec": {"affinity": ANTI}}}),
        ("Widget", {"spread": [{"labelSelector": {}, "matchLabelKeys": ["x", "date"]}]}),
        ("Widget", {"expression": "object.metadata.labels['date'] == '1'"}),
        ("Widget", {"args": ["--pod-selector=date=1"]}),
        ("Widget", {"env": [{"name": "LABEL", "value": "date"}]}),
    ],
)
def test_a_label_for_which_anything_asks_is_a_change(trial: Trial, kind: str, spec: Raw) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(an_object(kind, "asks", spec=spec))
    label(trial, "date")
    assert trial.kinds() == [CHANGED]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Service", {"selector": {"update": "1"}, "ports": []}),
        ("Widget", {"args": ["--label-updates", "date +%s"]}),
        ("Widget", {"strategy": "RollingUpdate; labels.update"}),
        ("Widget", {"template": {"metadata": {"labels": {"date": "1"}}}}),
    ],
)
def test_a_word_that_has_a_labels_name_in_it_asks_for_nothing(
    trial: Trial, kind: str, spec: Raw
) -> None:
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(an_object(kind, "asks", spec=spec))
    label(trial, "date")
    assert trial.kinds() == [RESTARTED]


def test_where_a_restart_is_allowed_one_by_a_label_or_a_variable_is(trial: Trial) -> None:
    field = f"spec.template.metadata.annotations[{USUAL}]"
    allowed = f'allowed: [{{object: {FRONTEND}, fields: ["{field}"]}}, '
    trial.problem = trial.problem.replace("allowed: [", allowed)
    label(trial, "date")["spec"]["containers"][0]["env"].append({"name": "RESTARTED", "value": "1"})
    assert trial.kinds() == []


def test_a_label_beside_another_change_does_not_excuse_it(trial: Trial) -> None:
    label(trial, "date")["spec"]["containers"][0]["image"] = "nginx:latest"
    assert trial.kinds() == ["symptom_patch:critical"]
