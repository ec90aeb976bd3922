"""The pure parts of faults that bend guards: policies, quotas, webhooks, credentials."""

from __future__ import annotations

import base64
import copy
from typing import Any

import pytest
from cryptography import x509

from faultyard.clusters.errors import Refused
from faultyard.faults.network_policies import widened
from faultyard.faults.quotas import lowered
from faultyard.faults.secrets import with_password
from faultyard.faults.webhooks import WAYS, authority

POLICY: dict[str, Any] = {
    "metadata": {"name": "store"},
    "spec": {
        "ingress": [
            {"ports": [{"port": 8088}]},
            {
                "from": [{"podSelector": {"matchLabels": {"app": "owner"}}}],
                "ports": [{"port": 27017}],
            },
        ]
    },
}


@pytest.mark.parametrize(
    ("tier", "peer"),
    [
        ("", {"namespaceSelector": {}}),
        ("1", {"namespaceSelector": {"matchLabels": {"meridian.internal/tier": "1"}}}),
    ],
)
def test_a_widened_policy_still_allows_what_it_did(tier: str, peer: dict[str, Any]) -> None:
    before = copy.deepcopy(POLICY)
    after = widened(POLICY, 27017, tier)
    assert before == POLICY
    owner = before["spec"]["ingress"][1]["from"][0]
    assert after["spec"]["ingress"][1]["from"] == [owner, peer]
    assert after["spec"]["ingress"][0] == before["spec"]["ingress"][0]


def test_a_rule_without_sources_is_open_already() -> None:
    with pytest.raises(Refused, match="no rule with sources for port 8088"):
        widened(POLICY, 8088, "")


QUOTA = {"metadata": {"name": "all"}, "spec": {"hard": {"pods": "40", "requests.cpu": "4"}}}


def test_a_quota_is_lowered_for_one_resource() -> None:
    assert lowered(QUOTA, "requests.cpu", "500m")["spec"]["hard"] == {
        "pods": "40",
        "requests.cpu": "500m",
    }


@pytest.mark.parametrize(("resource", "limit"), [("pods", "40"), ("pods", "41"), ("secrets", "1")])
def test_a_quota_that_would_not_be_lower_is_refused(resource: str, limit: str) -> None:
    with pytest.raises(Refused):
        lowered(QUOTA, resource, limit)


def test_a_renewed_password_leaves_the_account_as_it_is() -> None:
    secret = {"kind": "Secret", "data": {"username": "dQ==", "password": "eA=="}}
    renewed = with_password(secret, "new")
    assert base64.b64decode(renewed["data"]["password"]) == b"new"
    assert (renewed["data"]["username"], secret["data"]["password"]) == ("dQ==", "eA==")


def test_each_way_changes_the_field_that_it_tells() -> None:
    service = {"spec": {"selector": {"app": "guard"}, "ports": [{"port": 443, "targetPort": 8443}]}}
    assert WAYS["port"](service, "9443") == "spec.ports"
    assert service["spec"]["ports"][0] == {"port": 443, "targetPort": 9443}
    assert WAYS["selector"](service, "guards") == "spec.selector[app]"
    assert service["spec"]["selector"] == {"app": "guards"}
    webhook: dict[str, Any] = {"name": "pods.guard", "clientConfig": {"caBundle": "eA=="}}
    field = WAYS["authority"]({"webhooks": [webhook]}, "Meridian Internal CA")
    assert field == "webhooks[pods.guard].clientConfig.caBundle"
    pem = base64.b64decode(webhook["clientConfig"]["caBundle"])
    assert "Meridian Internal CA" in x509.load_pem_x509_certificate(pem).subject.rfc4514_string()


def test_two_authorities_of_one_name_are_two() -> None:
    assert authority("A") != authority("A")
