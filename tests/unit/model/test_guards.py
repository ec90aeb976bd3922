"""Whether a guard is looser: one way in which it is, and a near miss, for each kind."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model.diff import ABSENT, FieldChange
from faultyard.model.findings.guards import loosened, loosened_pods
from faultyard.model.quantities import number

RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
HOOK: dict[str, Any] = {"name": "h", "failurePolicy": "Fail", "rules": [{"operations": ["CREATE"]}]}


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": fields}


@pytest.mark.parametrize(
    ("kind", "before", "looser", "not_looser"),
    [
        (
            "Role",
            {"rules": [RULE]},
            {"rules": [RULE | {"verbs": ["*"]}]},
            {"rules": [RULE | {"verbs": ["get"]}]},
        ),
        (
            "ClusterRole",
            {"rules": [RULE]},
            {"rules": [RULE | {"resources": ["secrets"]}]},
            {"rules": [RULE | {"verbs": ["list"]}, RULE | {"verbs": ["get"]}]},
        ),
        (
            "RoleBinding",
            {"subjects": [{"name": "a"}]},
            {"subjects": [{"name": "a"}, {"name": "b"}]},
            {"subjects": []},
        ),
        (
            "ResourceQuota",
            spec(hard={"cpu": "2"}),
            spec(hard={"cpu": "2500m"}),
            spec(hard={"cpu": "1900m", "pods": 3}),
        ),
        (
            "LimitRange",
            spec(limits=[{"type": "Pod", "max": {"cpu": "1"}}]),
            spec(limits=[{"type": "Pod"}]),
            spec(limits=[{"type": "Pod", "max": {"cpu": "500m"}}]),
        ),
        ("PodDisruptionBudget", spec(minAvailable=2), spec(minAvailable=1), spec(minAvailable=3)),
        (
            "PodDisruptionBudget",
            spec(maxUnavailable="25%"),
            spec(maxUnavailable="50%"),
            spec(maxUnavailable="10%"),
        ),
        (
            "ValidatingWebhookConfiguration",
            {"webhooks": [HOOK]},
            {"webhooks": [HOOK | {"failurePolicy": "Ignore"}]},
            {"webhooks": [HOOK | {"timeoutSeconds": 5}]},
        ),
        (
            "MutatingWebhookConfiguration",
            {"webhooks": [HOOK]},
            {"webhooks": [HOOK | {"objectSelector": {"a": 1}}]},
            {"webhooks": [HOOK, HOOK | {"name": "i"}]},
        ),
        (
            "ValidatingWebhookConfiguration",
            {"webhooks": [HOOK | {"clientConfig": {"service": {"name": "a"}, "caBundle": "x"}}]},
            {"webhooks": [HOOK | {"clientConfig": {"service": {"name": "b"}, "caBundle": "x"}}]},
            {"webhooks": [HOOK | {"clientConfig": {"service": {"name": "a"}, "caBundle": "y"}}]},
        ),
        (
            "PodDisruptionBudget",
            spec(minAvailable=1),
            spec(minAvailable=1, unhealthyPodEvictionPolicy="AlwaysAllow"),
            spec(minAvailable=1, unhealthyPodEvictionPolicy="IfHealthyBudget"),
        ),
        (
            "ValidatingAdmissionPolicy",
            spec(validations=["a"]),
            spec(validations=[]),
            spec(validations=["a", "b"]),
        ),
        (
            "ValidatingAdmissionPolicyBinding",
            spec(validationActions=["Deny"]),
            spec(validationActions=["Warn"]),
            spec(validationActions=["Deny", "Audit"]),
        ),
        (
            "Namespace",
            {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}},
            {"metadata": {"labels": {}}},
            {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}},
        ),
        (
            "NetworkPolicy",
            spec(podSelector={}, ingress=[{"from": [1]}]),
            spec(podSelector={}, ingress=[{}]),
            spec(podSelector={}, ingress=[]),
        ),
    ],
)
def test_only_what_lets_more_through_is_looser(
    kind: str, before: Any, looser: Any, not_looser: Any
) -> None:
    assert loosened(kind, before, looser, neighbours=False)
    assert loosened(kind, before, not_looser, neighbours=False) == []


@pytest.mark.parametrize(
    ("kind", "expected"), [("ResourceQuota", True), ("RoleBinding", False), ("Namespace", False)]
)
def test_a_guard_that_is_gone_is_looser_and_a_permission_that_is_gone_is_not(
    kind: str, expected: bool
) -> None:
    assert bool(loosened(kind, {}, None, neighbours=False)) is expected


@pytest.mark.parametrize(("neighbours", "expected"), [(True, True), (False, False)])
def test_a_new_policy_opens_what_others_had_closed(neighbours: bool, expected: bool) -> None:
    assert bool(loosened("NetworkPolicy", None, spec(ingress=[{}]), neighbours)) is expected


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("hostNetwork", ABSENT, True, True),
        ("hostNetwork", True, ABSENT, False),
        ("securityContext.privileged", False, True, True),
        ("securityContext.runAsNonRoot", True, ABSENT, True),
        ("securityContext.runAsNonRoot", ABSENT, True, False),
        ("securityContext.runAsUser", 1000, 0, True),
        ("securityContext.capabilities.add", ABSENT, '["NET_ADMIN"]', True),
        ("securityContext.capabilities.drop", '["ALL"]', ABSENT, True),
        ("securityContext.capabilities.drop", ABSENT, '["ALL"]', False),
        ("securityContext.seccompProfile.type", "RuntimeDefault", "Unconfined", True),
        ("other.privileged", False, True, False),
    ],
)
def test_a_workloads_own_settings(path: str, before: Any, after: Any, expected: bool) -> None:
    change = FieldChange(("spec", "template", "spec", *path.split(".")), before, after)
    assert bool(loosened_pods([change])) is expected


@pytest.mark.parametrize(
    ("text", "value"), [("100m", 0.1), ("1Gi", 2**30), (2, 2), ("1e3", 1000), ("50%", 0.5)]
)
def test_quantities_are_numbers(text: object, value: float) -> None:
    assert float(number(text)) == pytest.approx(value)


def test_what_is_no_quantity_is_refused() -> None:
    with pytest.raises(ValueError, match="no quantity"):
        number("lots")


@pytest.mark.parametrize("text", ["1e999999999", "1.2.3", "."])
def test_a_limit_that_nobody_can_read_holds_nobody_back(text: str) -> None:
    with pytest.raises(ValueError, match="no quantity"):
        number(text)
    assert loosened("ResourceQuota", spec(hard={"cpu": "2"}), spec(hard={"cpu": text}), False)
