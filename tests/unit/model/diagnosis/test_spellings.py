"""One object, field or value in many spellings."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultyard.model.diagnosis import references
from faultyard.model.diagnosis.spellings import same_setting, same_value
from faultyard.model.refs import ObjectRef

PORT = "spec.ports[8084].targetPort"
CPU = "spec.template.spec.containers[rate].resources.limits.cpu"
ENV = "spec.template.spec.containers[rate].env[RATE_ADDRESS].value"
KEY = "data[app.yaml]"


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (PORT, "targetPort"),
        (PORT, "target_port"),
        (PORT, "target port"),
        (PORT, ".spec.ports[0].targetPort"),
        (PORT, "spec.ports[*].targetPort"),
        (PORT, "spec.ports.0.targetPort"),
        (PORT, "/spec/ports/0/targetPort"),
        (PORT, "spec.ports[name=grpc].targetPort"),
        (PORT, '{.spec.ports[?(@.name=="grpc")].targetPort}'.strip("{}")),
        (PORT, "spec.ports[8084/TCP].targetPort"),
        (PORT, "Service/hotel/rate spec.ports[0].targetPort"),
        (PORT, "`spec.ports[].targetPort`"),
        (CPU, "resources.limits.cpu"),
        (CPU, "limits.cpu"),
        (CPU, "spec.template.spec.containers[0].resources.limits.cpu"),
        (CPU, "spec.template.spec.containers[name=rate].resources.limits[cpu]"),
        (ENV, "RATE_ADDRESS"),
        (ENV, "env RATE_ADDRESS"),
        (ENV, "env.RATE_ADDRESS"),
        (ENV, "spec.template.spec.containers[rate].env[RATE_ADDRESS]"),
        (ENV, 'spec.template.spec.containers[0].env[?(@.name=="RATE_ADDRESS")].value'),
        (KEY, "data.app.yaml"),
        (KEY, "app.yaml"),
        ("user rate", "user rate"),
        ("unit kubelet.service", "kubelet.service"),
        ("unit kubelet.service", "kubelet.service (systemd)"),
        ("unit kubelet.service", "unit kubelet.service status"),
        ("kubelet", "kubelet status"),
        ("systemd unit kubelet", "kubelet systemd unit"),
        ("user rate", "mongodb user 'rate'"),
        ("user rate", "user rate in database hotel"),
        ("user rate", "database user `rate` in the db hotel"),
        ("resources.limits.cpu", "cpu resources limits"),
        ("limits.cpu", "cpu limits"),
    ],
)
def test_one_setting_has_many_spellings(stated: str, said: str) -> None:
    assert same_setting([stated], said)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (PORT, "port"),
        (PORT, "spec.ports[0].port"),
        (PORT, "spec.selector"),
        (PORT, "nodePort"),
        (PORT, ""),
        (PORT, "spec"),
        (PORT, "it is either targetPort or the selector"),
        (CPU, "cpu"),
        (CPU, "requests.cpu"),
        (CPU, "limits.memory"),
        (CPU, "spec.template.spec.containers[sidecar].resources.limits.cpu"),
        (ENV, "env"),
        (ENV, "GEO_ADDRESS"),
        (ENV, "env[0].value"),
        (KEY, "data.other.yaml"),
        ("user rate", "user geo"),
        ("user rate", "user geo in database rate"),
        ("user rate", "users of database rate"),
        ("user rate", "user 'geo'"),
        ("user rate", "' '"),
        ("unit kubelet.service", "containerd.service (kubelet.service)"),
        ("unit kubelet.service", "status"),
        ("unit kubelet.service", "kubelet.service status of worker-1"),
        ("systemd unit kubelet", "systemd unit containerd"),
        ("limits.cpu", "cpu status"),
        ("limits.cpu", "cpu requests"),
        ("limits.cpu", "memory limits"),
    ],
)
def test_another_setting_is_not_the_setting(stated: str, said: str) -> None:
    assert not same_setting([stated], said)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (8091, "8091"),
        (8091, " 8091\n"),
        (8091, "targetPort: 8091"),
        (8091, "targetPort=8091"),
        (8091, "targetPort 8091"),
        (8091, "8091 (nobody listens there)"),
        ("100m", 0.1),
        ("1Gi", "1024Mi"),
        (True, "true"),
        ("absent", None),
        ("absent", "missing"),
        ("absent", "does not exist"),
        ("absent", ""),
        ({"app": "rate", "tier": "a"}, "tier: a, app: rate"),
        ({"app": "rate"}, '{"app": "rate"}'),
        (["b", "a"], ["a", "b"]),
        ("rate:8084", "RATE:8084"),
        ("registry.internal:5000/hotel/rate:2.4.0", "'registry.internal:5000/hotel/rate:2.4.0'"),
        ("10.0.0.1", "10.0.0.1"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_one_value_has_many_spellings(stated: Any, said: Any) -> None:
    assert same_value([stated], said, "spec.ports[0].targetPort")


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (8091, 8084),
        (8091, "8091 or 8084"),
        (8091, "not 8091"),
        (8091, "80918"),
        (8091, True),
        (8091, float("inf")),
        (8091, "1e999999999999"),
        (8091, "[" * 200),
        ("100m", "100M"),
        ("absent", 0),
        ({"app": "rate"}, {"app": "rate", "tier": "a"}),
        ("hotel/rate:2.4.0", "hotel/rate:latest"),
    ],
)
def test_another_value_is_not_the_value(stated: Any, said: Any) -> None:
    assert not same_value([stated], said, "spec.ports[0].targetPort")


INACTIVE, ACTIVE = ["inactive", "dead", "stopped"], ["active", "running", "active (running)"]
GONE = ["absent", "no such user", "user not found"]


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (INACTIVE, "inactive/dead"),
        (INACTIVE, "inactive, dead"),
        (INACTIVE, "inactive (dead)"),
        (INACTIVE, "dead (inactive)"),
        (INACTIVE, "inactive (dead) since Mon 2026-11-30 10:02:11 UTC; 5min ago"),
        (INACTIVE, "Active: inactive (dead) since Mon 2026-11-30 10:02:11 UTC; (no restart)"),
        (INACTIVE, "ActiveState=inactive"),
        (INACTIVE, "kubelet.service stopped"),
        (ACTIVE, "active/running"),
        (["1"], "1 CPU"),
        (["1"], "1 core"),
        (["2"], "2 vCPUs"),
        (["500m"], "0.5 cores"),
        (["500m"], "500m CPU"),
        (["500m"], "500 millicores"),
        (["64Mi"], "64 MiB"),
        (["64Mi"], "64MiB"),
        ([8084], "8084/TCP"),
        ([8084], "port 8084"),
        ([8084, "grpc"], "grpc (8084)"),
        ([8084, "grpc"], "8084/grpc"),
    ],
)
def test_a_value_may_have_its_unit_and_be_said_twice(stated: list[Any], said: str) -> None:
    assert same_value(stated, said, "unit kubelet.service", "unit kubelet.service")


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (INACTIVE, "inactive/active"),
        (INACTIVE, "inactive, running"),
        (INACTIVE, "failed (dead)"),
        (INACTIVE, "active since Mon"),
        (INACTIVE, "not inactive since Mon"),
        (INACTIVE, "since inactive"),
        (INACTIVE, "kubelet.service"),
        (INACTIVE, "containerd.service stopped"),
        (INACTIVE, "()"),
        (ACTIVE, "active/exited"),
        (["1"], "2 CPUs"),
        (["1"], "1 GB"),
        (["1"], "1 replica"),
        (["500m"], "500 cores"),
        (["64Mi"], "64 MB"),
        (["64Mi"], "64 MiB/s"),
        ([8084], "8084/UDP"),
        ([8084], "port 8091"),
        ([8084], "8084/8091"),
        ([8084], "8084 or 8091"),
    ],
)
def test_a_unit_or_a_second_value_that_does_not_fit_is_not_left_out(
    stated: list[Any], said: str
) -> None:
    assert not same_value(stated, said, "unit kubelet.service", "unit kubelet.service")


@pytest.mark.parametrize(
    "said",
    [
        "user rate not found",
        "User 'rate' not found",
        'user "rate" does not exist',
        "no such user rate",
        "no such user: rate",
        "rate missing",
    ],
)
def test_that_an_object_is_gone_may_be_said_with_its_name(said: str) -> None:
    assert same_value(GONE, said, "users", "user rate")


@pytest.mark.parametrize(
    "said",
    [
        "user geo not found",
        "user rate",
        "rate",
        "user rate exists",
        "rate-limiter missing",
        "rate:",
    ],
)
def test_another_ones_name_or_no_word_of_it_does_not_say_that_it_is_gone(said: str) -> None:
    assert not same_value(GONE, said, "users", "user rate")


@given(st.integers() | st.text() | st.booleans() | st.decimals(allow_nan=False).map(str))
def test_a_value_is_always_the_same_as_itself_whatever_surrounds_it(value: Any) -> None:
    assert same_value([value], value)
    if isinstance(value, int) and not isinstance(value, bool):
        assert same_value([value], f"  {value} ")
        assert same_value([Decimal(value)], str(value))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("svc/hotel/rate", "Service/hotel/rate"),
        ("deployments/hotel/rate", "Deployment/hotel/rate"),
        (" NetworkPolicies / hotel / deny ", "NetworkPolicy/hotel/deny"),
        ("node/worker-1", "Node//worker-1"),
        ("Node/hotel/worker-1", "Node//worker-1"),
        ("Widget.example.com/hotel/w", "Widget.example.com/hotel/w"),
    ],
)
def test_kinds_may_be_written_as_kubectl_takes_them(text: str, read: str) -> None:
    assert str(references.read(text)) == read


@pytest.mark.parametrize("text", ["rate", "Service/rate", "Service//rate", "a/b/c/d", "/hotel/x"])
def test_a_reference_that_cannot_be_read_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(ValueError, match=r"write [KS]"):
        references.read(text)


@pytest.mark.parametrize(
    ("stated", "said", "same"),
    [
        ("Service/hotel/rate", "Endpoints/hotel/rate", True),
        ("Service/hotel/rate", "EndpointSlice/hotel/rate-x7k2p", True),
        ("Service/hotel/rate", "Deployment/hotel/rate", False),
        ("Service/hotel/rate", "Service/staging/rate", False),
        ("Deployment/hotel/rate", "Pod/hotel/rate-7d9f8b6c5d-x2x9q", True),
        ("Deployment/hotel/rate", "ReplicaSet/hotel/rate-7d9f8b6c5d", True),
        ("Deployment/hotel/rate", "Pod/hotel/rate-limiter-7d9f8b6c5d-x2x9q", False),
        ("StatefulSet/hotel/db", "Pod/hotel/db-0", True),
        ("DaemonSet/kube-system/proxy", "Pod/kube-system/proxy-x2x9q", True),
        ("CronJob/hotel/tidy", "Pod/hotel/tidy-28000000-x2x9q", True),
        ("Pod/hotel/db-0", "StatefulSet/hotel/db", False),
        ("Widget.example.com/hotel/w", "widget/hotel/w", True),
    ],
)
def test_what_a_controller_makes_of_an_object_stands_for_it(
    stated: str, said: str, same: bool
) -> None:
    assert references.same(ObjectRef.parse(stated), references.read(said)) is same


def test_a_value_that_is_nested_without_end_is_a_text_like_any_other() -> None:
    assert not same_value(["8084"], "[" * 400 + "]" * 400, "spec.ports")
    assert not same_value(["8084"], "[" * 100_000, "spec.ports")
