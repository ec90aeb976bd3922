"""`events` and `change_history` on objects as the API server gives them."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from faultyard.clusters.api import Resource
from faultyard.tools import changes, events
from faultyard.tools.arguments import written
from faultyard.tools.errors import Declined
from faultyard.tools.fields import paths
from faultyard.tools.tool import Answer, Tool
from unit.tools.fakes import FakeCluster

NOW = time.time()


def stamp(ago_s: float) -> str:
    return written(NOW - ago_s)


def event(ago_s: float, reason: str, kind: str = "Pod", **changed: Any) -> dict[str, Any]:
    return {
        "metadata": {"creationTimestamp": stamp(ago_s + 60)},
        "involvedObject": {"kind": kind, "namespace": "hotel", "name": "rate"},
        "type": "Warning",
        "reason": reason,
        "message": "said",
        "count": 3,
        "lastTimestamp": stamp(ago_s),
        "source": {"component": "kubelet"},
        **changed,
    }


def ask(tool: Tool[Any], **arguments: Any) -> Answer:
    answer: Answer = tool.act(tool.parse(arguments))
    return answer


def rows(answer: Answer) -> list[Any]:
    return [json.loads(line) for line in answer.text.splitlines() if line.startswith("{")]


class TestEvents:
    def test_the_newest_comes_first(self) -> None:
        old, new = event(600, "Unhealthy"), event(10, "BackOff")
        cluster = FakeCluster(objects={"/api/v1/events": [old, new]})
        found = rows(ask(events.tool(cluster)))
        assert [row["reason"] for row in found] == ["BackOff", "Unhealthy"]
        assert found[0] == {
            "time": stamp(10),
            "count": 3,
            "type": "Warning",
            "reason": "BackOff",
            "object": "Pod/hotel/rate",
            "message": "said",
            "by": "kubelet",
        }

    def test_new_reporters_write_their_times_elsewhere(self) -> None:
        series = event(0, "Slow", lastTimestamp=None, count=None)
        series |= {"series": {"lastObservedTime": stamp(30), "count": 7}}
        once = event(0, "Once", lastTimestamp=None, eventTime=stamp(20), count=None)
        cluster = FakeCluster(objects={"/api/v1/events": [series, once]})
        found = rows(ask(events.tool(cluster)))
        assert [(row["reason"], row["count"]) for row in found] == [("Once", 1), ("Slow", 7)]

    def test_what_is_asked_for_is_selected_by_the_server(self) -> None:
        cluster = FakeCluster()
        answer = ask(
            events.tool(cluster), namespace="hotel", kind="Pod", name="rate-0", type="Warning"
        )
        selector = "involvedObject.kind=Pod,involvedObject.name=rate-0,type=Warning"
        path = "/api/v1/namespaces/hotel/events"
        assert [(path, selector)] == [(asked[0], asked[2]) for asked in cluster.asked]
        assert answer.text == "[no event fits]"

    def test_old_ones_and_those_beyond_the_limit_are_left_out(self) -> None:
        raw = [event(n, f"R{n}") for n in (10, 20, 30, 9_000)]
        answer = ask(events.tool(FakeCluster(objects={"/api/v1/events": raw})), limit=2)
        assert [row["reason"] for row in rows(answer)] == ["R10", "R20"]
        assert answer.cut
        assert answer.text.endswith("[1 older events were cut here; limit=2]")

    def test_a_refusal_is_told(self) -> None:
        with pytest.raises(Declined, match="answered 403"):
            ask(events.tool(FakeCluster(objects={"/api/v1/events": 403})))


def kind(name: str, plural: str, group: str = "", *, namespaced: bool = True) -> Resource:
    return Resource(group, "v1", plural, name, namespaced, frozenset({"list"}))


SERVICE = {
    "metadata": {
        "name": "rate",
        "namespace": "hotel",
        "creationTimestamp": stamp(7_200),
        "managedFields": [
            {
                "manager": "deploy",
                "operation": "Apply",
                "time": stamp(300),
                "fieldsV1": {
                    "f:spec": {
                        "f:ports": {
                            'k:{"port":8084,"protocol":"TCP"}': {".": {}, "f:targetPort": {}}
                        }
                    }
                },
            },
            {"manager": "first", "operation": "Update", "time": stamp(7_200), "fieldsV1": {}},
            {
                "manager": "controller",
                "operation": "Update",
                "subresource": "status",
                "time": stamp(5),
                "fieldsV1": {"f:status": {}},
            },
        ],
    }
}
REPLICA_SET = {
    "metadata": {
        "name": "rate-7d9",
        "namespace": "hotel",
        "creationTimestamp": stamp(200),
        "annotations": {"deployment.kubernetes.io/revision": "4"},
        "ownerReferences": [{"kind": "Deployment", "name": "rate", "controller": True}],
    },
    "spec": {"template": {"spec": {"containers": [{"image": "hotel/rate:2.4.1"}]}}},
}
REVISION = {
    "metadata": {
        "name": "mongo-5c",
        "namespace": "hotel",
        "creationTimestamp": stamp(400),
        "ownerReferences": [{"kind": "StatefulSet", "name": "mongo", "controller": True}],
    },
    "revision": 2,
    "data": {"spec": {"template": {"spec": {"containers": [{"image": "ferret:1"}]}}}},
}


@pytest.fixture
def cluster() -> FakeCluster:
    kinds = [
        kind("Service", "services"),
        kind("Secret", "secrets"),
        kind("Pod", "pods"),
        kind("Node", "nodes", namespaced=False),
        Resource("x.io", "v1", "reviews", "Review", True, frozenset({"create"})),
    ]
    scaled = event(100, "ScalingReplicaSet", "Deployment")
    objects = {
        "/api/v1/services": [SERVICE],
        "/api/v1/nodes": 403,
        "/apis/apps/v1/replicasets": [REPLICA_SET],
        "/apis/apps/v1/controllerrevisions": [REVISION],
        "/api/v1/events": [scaled, event(50, "BackOff")],
    }
    return FakeCluster(kinds, objects)


class TestChangeHistory:
    def test_writes_rollouts_and_events_are_in_one_order(self, cluster: FakeCluster) -> None:
        found = rows(ask(changes.tool(cluster), since="-60m"))
        assert [(row["time"], row["what"], row["object"]) for row in found] == [
            (stamp(100), "event", "Deployment/hotel/rate"),
            (stamp(200), "rollout", "Deployment/hotel/rate"),
            (stamp(300), "write", "Service/hotel/rate"),
            (stamp(400), "rollout", "StatefulSet/hotel/mongo"),
        ]

    def test_a_write_tells_who_holds_which_fields(self, cluster: FakeCluster) -> None:
        (write,) = [row for row in rows(ask(changes.tool(cluster))) if row["what"] == "write"]
        assert write["by"] == "deploy"
        assert write["operation"] == "Apply"
        assert write["holds"] == ["spec.ports[port=8084,protocol=TCP].targetPort"]

    def test_a_rollout_tells_revision_and_images(self, cluster: FakeCluster) -> None:
        found = [row for row in rows(ask(changes.tool(cluster))) if row["what"] == "rollout"]
        assert [(row["revision"], row["images"]) for row in found] == [
            ("4", ["hotel/rate:2.4.1"]),
            ("2", ["ferret:1"]),
        ]

    def test_what_is_not_stored_was_not_changed(self) -> None:
        kinds = [kind("ComponentStatus", "componentstatuses", namespaced=False)]
        objects = {"/api/v1/componentstatuses": [{"metadata": {"name": "scheduler"}}]}
        assert ask(changes.tool(FakeCluster(kinds, objects))) == Answer("[nothing was changed]")

    def test_creations_are_changes(self, cluster: FakeCluster) -> None:
        assert rows(ask(changes.tool(cluster)))[-1] == {
            "time": stamp(7_200),
            "what": "created",
            "object": "Service/hotel/rate",
        }

    def test_no_secret_is_read_and_only_metadata_of_most(self, cluster: FakeCluster) -> None:
        ask(changes.tool(cluster))
        asked = {path: accept for path, accept, _ in cluster.asked}
        assert not [path for path in asked if "secrets" in path or path.endswith("/pods")]
        assert asked["/api/v1/services"] == changes.METADATA

    def test_what_may_not_be_listed_is_said(self, cluster: FakeCluster) -> None:
        answer = ask(changes.tool(cluster))
        assert answer.text.endswith("[you may not list: Node (403)]")

    def test_in_a_namespace_only_what_lies_there_is_read(self, cluster: FakeCluster) -> None:
        ask(changes.tool(cluster), namespace="hotel")
        paths_asked = {path for path, _, _ in cluster.asked}
        assert all("/namespaces/hotel/" in path for path in paths_asked)

    def test_beyond_the_limit_it_says_so(self, cluster: FakeCluster) -> None:
        answer = ask(changes.tool(cluster), limit=1)
        assert answer.cut
        assert "[4 older changes were cut here; limit=1]" in answer.text


def test_paths_of_managed_fields() -> None:
    fields = {
        "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
        "f:spec": {
            "f:finalizers": {'v:"a"': {}},
            "f:template": {"f:spec": {"f:containers": {'k:{"name":"web"}': {".": {}}}}},
        },
    }
    assert sorted(paths(fields)) == [
        "metadata.labels.app",
        'spec.finalizers["a"]',
        "spec.template.spec.containers[name=web]",
    ]
