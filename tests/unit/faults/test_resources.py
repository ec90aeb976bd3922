from typing import Any

import pytest

from faultyard.apps.databases import Login, login_of
from faultyard.clusters.errors import Refused
from faultyard.faults.resources import set_limit


def workload(**resources: Any) -> dict[str, Any]:
    containers = [{"name": "side"}, {"name": "cart", "resources": resources}]
    return {
        "metadata": {"name": "cart"},
        "spec": {"template": {"spec": {"containers": containers}}},
    }


def resources_of(manifest: dict[str, Any]) -> Any:
    return manifest["spec"]["template"]["spec"]["containers"][1]["resources"]


def test_a_request_above_the_limit_is_lowered_with_it() -> None:
    manifest = workload(requests={"cpu": "40m", "memory": "1Mi"}, limits={"cpu": "1"})
    assert set_limit(manifest, "cart", "cpu", "14m") == ["limits", "requests"]
    assert resources_of(manifest) == {
        "requests": {"cpu": "14m", "memory": "1Mi"},
        "limits": {"cpu": "14m"},
    }


@pytest.mark.parametrize("requests", [{}, {"cpu": "10m"}, {"cpu": "0.014"}])
def test_a_request_that_fits_is_left_alone(requests: dict[str, str]) -> None:
    manifest = workload(requests=dict(requests))
    assert set_limit(manifest, "cart", "cpu", "14m") == ["limits"]
    assert resources_of(manifest)["requests"] == requests


def test_an_unknown_container_is_refused() -> None:
    with pytest.raises(Refused, match="cart has no container wagon"):
        set_limit(workload(), "wagon", "cpu", "14m")


def test_credentials_are_read_from_a_secret() -> None:
    secret = {"data": {"username": "Z2VvLXN2Yw==", "password": "eA=="}}
    assert login_of(secret, "geo") == Login("geo-svc", "x", "geo")
