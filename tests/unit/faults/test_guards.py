"""The pure parts of faults that bend guards: policies, quotas, webhooks, credentials."""

from __future__ import annotations

import base64
import contextlib
import copy
from typing import Any, cast

import pytest
from cryptography import x509

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import Refused
from faultyard.faults.network_policies import widened
from faultyard.faults.quotas import lowered, quota_lowered
from faultyard.faults.registry import comes_last
from faultyard.faults.secrets import with_password
from faultyard.faults.webhooks import SERVICE_NAME, WAYS, authority, webhook_unreachable
from faultyard.model.problem import Fault
from faultyard.model.refs import ObjectRef

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


class Answers:
    """A cell whose API server answers, one after the other, what it is told to."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def entered(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def api(self) -> contextlib.AbstractContextManager[Answers]:
        return contextlib.nullcontext(self)

    def get(self, path: str) -> Any:
        self.asked.append(path)
        return self.answers.pop(0)

    list = get


class Released:
    """A pipeline that releases nothing."""

    def __init__(self, cell: Answers, manifest: Any) -> None:
        self.cell, self.released = cell, manifest

    def manifest(self, _: ObjectRef) -> Any:
        return copy.deepcopy(self.released)

    def release(self, manifest: Any) -> None:
        self.released = manifest


def test_a_lowered_quota_is_in_force_when_its_fault_is_done() -> None:
    """Else the pods that are evicted next would be made anew, and nothing be broken."""
    stale, due = ({"status": {"hard": {"requests.cpu": cpu}}} for cpu in ("4", "500m"))
    pipeline = Released(Answers({}, stale, due), QUOTA)
    given = {"namespace": "shop", "quota": "all", "resource": "requests.cpu", "limit": "0.5"}
    (declared,) = quota_lowered(cast(Pipeline, pipeline), given)
    assert pipeline.cell.answers == []
    assert set(pipeline.cell.asked) == {"/api/v1/namespaces/shop/resourcequotas/all"}
    assert (declared.object, declared.fields) == (
        "ResourceQuota/shop/all",
        ["spec.hard[requests.cpu]"],
    )


def slices(port: int | None) -> list[Any]:
    """What EndpointSlices say of a Service whose pods serve on a port; None: it has none."""
    other = {
        "metadata": {"labels": {SERVICE_NAME: "other"}},
        "endpoints": [{}],
        "ports": [{"port": 1}],
    }
    mine: dict[str, Any] = {"metadata": {"labels": {SERVICE_NAME: "guard"}}, "endpoints": None}
    if port is not None:
        mine |= {"endpoints": [{}], "ports": [{"port": port}]}
    return [other, mine]


@pytest.mark.parametrize(
    ("how", "value", "last"), [("port", "9443", 9443), ("selector", "x", None)]
)
def test_a_guards_service_leads_elsewhere_when_its_fault_is_done(
    how: str, value: str, last: int | None
) -> None:
    guard = {
        "webhooks": [{"clientConfig": {"service": {"name": "guard", "namespace": "platform"}}}],
        "spec": {"selector": {"app": "guard"}, "ports": [{"port": 443, "targetPort": 8443}]},
    }
    pipeline = Released(Answers(slices(8443), slices(last)), guard)
    given = {"configuration": "guard", "how": how, "value": value}
    (declared,) = webhook_unreachable(cast(Pipeline, pipeline), given)
    assert (pipeline.cell.answers, declared.object) == ([], "Service/platform/guard")


@pytest.mark.parametrize("kind", ["secret_rotated", "quota_lowered", "webhook_unreachable"])
def test_what_a_roll_out_would_end_in_or_undo_comes_after_all_of_them(kind: str) -> None:
    assert comes_last(Fault(kind=kind))
