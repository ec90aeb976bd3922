import httpx
import pytest

from faultyard.clusters.api import Resource, _resources
from unit.clusters.played_api import played

GROUP = {
    "metadata": {"name": "autoscaling"},
    "versions": [
        {
            "version": "v2",
            "resources": [
                {
                    "resource": "horizontalpodautoscalers",
                    "responseKind": {"kind": "HorizontalPodAutoscaler"},
                    "scope": "Namespaced",
                    "verbs": ["list", "get"],
                }
            ],
        },
        {
            "version": "v1",
            "resources": [
                {
                    "resource": "horizontalpodautoscalers",
                    "responseKind": {"kind": "HorizontalPodAutoscaler"},
                    "scope": "Namespaced",
                    "verbs": ["list", "get"],
                }
            ],
        },
    ],
}


def test_a_kind_served_in_two_versions_is_taken_once_in_the_preferred_one() -> None:
    found = list(_resources(GROUP))
    assert [resource.version for resource in found] == ["v2"]


def test_paths_of_the_core_group_and_of_others() -> None:
    core = Resource("", "v1", "pods", "Pod", True, frozenset())
    apps = Resource("apps", "v1", "deployments", "Deployment", True, frozenset())
    assert (core.path, core.api_version) == ("/api/v1/pods", "v1")
    assert (apps.path, apps.api_version) == ("/apis/apps/v1/deployments", "apps/v1")


@pytest.mark.parametrize("depth", [3000, 0])
def test_a_list_with_an_object_of_any_shape_in_it_is_read(depth: int) -> None:
    data = b"[" * depth + b"9" * 5000 + b"]" * depth
    body = b'{"items":[{"metadata":{"name":"a"},"data":' + data + b"}]}"
    api = played(lambda _: httpx.Response(200, content=body))
    (item,) = api.list("/apis/apps/v1/controllerrevisions")
    assert item["metadata"] == {"name": "a"}
