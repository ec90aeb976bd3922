"""Objects of a template become those of a new cluster; those of a start become old."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultyard.clusters.embedded import past

DAYS = timedelta(days=-2)
BORN = "2026-05-04T10:00:00Z"


def woken(item: dict[str, Any], by: timedelta = DAYS, **renamed: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(past.woken(json.dumps(item), by, renamed))
    return result


def pod(phase: str = "Running") -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": "user-1", "creationTimestamp": BORN},
        "spec": {"nodeName": "worker-1"},
        "status": {
            "phase": phase,
            "startTime": BORN,
            "qosClass": "Burstable",
            "podIP": "10.240.1.9",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": BORN},
                {"type": "Ready", "status": "True", "lastTransitionTime": BORN},
            ],
            "containerStatuses": [{"name": "user", "restartCount": 0, "containerID": "x"}],
        },
    }


def test_every_time_moves_by_the_same() -> None:
    item = {
        "kind": "Deployment",
        "metadata": {"creationTimestamp": BORN, "managedFields": [{"time": BORN}]},
        "status": {"conditions": [{"lastUpdateTime": "2026-05-04T10:00:07.123456Z"}]},
    }
    moved = woken(item)
    assert moved["metadata"]["creationTimestamp"] == "2026-05-02T10:00:00Z"
    assert moved["metadata"]["managedFields"] == [{"time": "2026-05-02T10:00:00Z"}]
    assert moved["status"]["conditions"] == [{"lastUpdateTime": "2026-05-02T10:00:07.123456Z"}]


def test_what_users_wrote_stays_and_so_does_what_only_begins_like_a_time() -> None:
    item = {
        "kind": "ConfigMap",
        "metadata": {"annotations": {"note": f"{BORN} was a Monday"}},
        "data": {"since": BORN},
    }
    assert woken(item) == item


def test_a_pod_keeps_its_node_and_its_start_but_no_container() -> None:
    status = woken(pod())["status"]
    assert status == {
        "phase": "Pending",
        "startTime": "2026-05-02T10:00:00Z",
        "qosClass": "Burstable",
        "conditions": [
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-05-02T10:00:00Z"}
        ],
    }


def test_a_pod_that_has_ended_keeps_its_status() -> None:
    assert woken(pod("Succeeded"))["status"]["containerStatuses"][0]["containerID"] == "x"


def test_endpoints_of_the_controllers_slices_go_and_those_of_others_stay() -> None:
    mine = {
        "kind": "EndpointSlice",
        "metadata": {"labels": {}},
        "endpoints": [{"addresses": ["a"]}],
    }
    theirs = {
        **mine,
        "metadata": {"labels": {"endpointslice.kubernetes.io/managed-by": past.SLICE_CONTROLLER}},
    }
    assert woken(mine)["endpoints"] == mine["endpoints"]
    assert woken(theirs)["endpoints"] == []


def test_the_authoritys_certificate_is_replaced_wherever_it_stands() -> None:
    item = {"kind": "ConfigMap", "data": {"ca.crt": "OLD"}}
    assert woken(item, OLD="NEW")["data"]["ca.crt"] == "NEW"


def test_what_is_no_object_is_left_as_it_is() -> None:
    for stored in ("", "\udcff\udc00k8s", "[1]", '{"time": "2026-05-04T10:00:00Z"}'):
        assert past.woken(stored, DAYS, {}) == stored
        assert past.aged(stored, datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=1)) == stored


SINCE = datetime(2026, 5, 4, 10, 0, 0, tzinfo=UTC)


def aged(item: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(past.aged(json.dumps(item), SINCE, timedelta(days=3)))
    return result


def test_only_what_happened_since_the_start_becomes_old() -> None:
    item = {"kind": "Node", "metadata": {"creationTimestamp": "2026-05-04T09:59:59Z", "time": BORN}}
    assert aged(item)["metadata"] == {
        "creationTimestamp": "2026-05-04T09:59:59Z",
        "time": "2026-05-01T10:00:00Z",
    }


def test_heartbeats_stay_young() -> None:
    node = {"kind": "Node", "status": {"conditions": [{"lastHeartbeatTime": BORN}]}}
    lease = {"kind": "Lease", "metadata": {"creationTimestamp": BORN}, "spec": {"renewTime": BORN}}
    assert aged(node) == node
    assert aged(lease) == {
        **lease,
        "metadata": {"creationTimestamp": "2026-05-01T10:00:00Z"},
    }


def test_pods_stay_as_they_are_since_their_kubelets_write_them_again() -> None:
    assert aged(pod()) == pod()


@given(st.integers(min_value=-(10**8), max_value=10**8))
def test_there_and_back_is_nothing(seconds: int) -> None:
    by = timedelta(seconds=seconds)
    for text in (BORN, "2026-05-04T23:59:59.000001Z"):
        assert past.moved(past.moved(text, by), -by) == text


def test_a_daily_job_gets_the_hour_of_its_last_run() -> None:
    item = {
        "kind": "CronJob",
        "metadata": {"creationTimestamp": BORN},
        "spec": {"schedule": "40 4 * * *"},
        "status": {"lastScheduleTime": "2026-05-05T13:07:00Z"},
    }
    moved = woken(item, timedelta(minutes=-90))
    assert moved["status"]["lastScheduleTime"] == "2026-05-05T11:37:00Z"
    assert moved["spec"]["schedule"] == "37 11 * * *"


def test_a_daily_job_that_never_ran_keeps_its_schedule() -> None:
    item = {"kind": "CronJob", "metadata": {}, "spec": {"schedule": "40 4 * * *"}, "status": {}}
    assert woken(item)["spec"]["schedule"] == "40 4 * * *"


def node(ready_since: str, beat: str, **status: Any) -> str:
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": ready_since}
    return json.dumps(
        {
            "kind": "Node",
            "metadata": {
                "name": "worker-1",
                "managedFields": [{"manager": "m", "time": ready_since}],
            },
            "status": {"conditions": [{**condition, "lastHeartbeatTime": beat}], **status},
        }
    )


def test_what_changed_and_changed_back_during_a_start_did_not_happen_but_for_heartbeats() -> None:
    before, now = node(BORN, BORN), node("2026-05-06T10:00:30Z", "2026-05-06T10:00:40Z")
    restored = past.steady(now, before)
    assert json.loads(restored) == json.loads(node(BORN, "2026-05-06T10:00:40Z"))


def test_of_an_object_that_is_another_one_now_what_is_the_same_has_the_times_of_before() -> None:
    late = "2026-05-06T10:00:30Z"
    restored = past.steady(node(late, late, images=["x"]), node(BORN, BORN))
    assert json.loads(restored) == json.loads(node(BORN, late, images=["x"]))


def test_a_new_object_and_a_pod_stay_as_they_are() -> None:
    late = "2026-05-06T10:00:30Z"
    assert past.steady(node(late, late), "") == node(late, late)
    was = {"kind": "Pod", "metadata": {"name": "user", "creationTimestamp": BORN}}
    now = json.dumps({**was, "metadata": {"name": "user", "creationTimestamp": late}})
    assert past.steady(now, json.dumps(was)) == now


NOTED = "endpoints.kubernetes.io/last-change-trigger-time"


@pytest.mark.parametrize(
    ("kind", "rest"), [("Endpoints", "subsets"), ("EndpointSlice", "endpoints")]
)
def test_what_follows_from_addresses_of_pods_has_them_and_says_of_its_past_what_it_said(
    kind: str, rest: str
) -> None:
    then = {"uid": "u", "annotations": {NOTED: BORN}, "managedFields": [{"time": BORN}]}
    # Whether pods got the addresses that they had, and whether it was noted, is chance.
    now = {"uid": "u", "generation": 7, "managedFields": [{"time": "2026-05-06T10:00:30Z"}]}
    stored = json.dumps({"kind": kind, "metadata": now, rest: ["new"]})
    before = json.dumps({"kind": kind, "metadata": {**then, "generation": 3}, rest: ["old"]})
    made = json.loads(past.steady(stored, before))
    assert made == {"kind": kind, "metadata": {**then, "generation": 7}, rest: ["new"]}
    another = json.dumps({"kind": kind, "metadata": {**then, "uid": "v"}, rest: ["old"]})
    assert past.steady(stored, another) == stored


def test_a_lease_is_old_and_was_written_a_moment_ago() -> None:
    def lease(born: str, written: str) -> dict[str, Any]:
        about = {"creationTimestamp": born, "managedFields": [{"time": written}]}
        return {"kind": "Lease", "metadata": about, "spec": {"renewTime": written}}

    late = "2026-05-06T10:00:30Z"
    stored, before = json.dumps(lease(BORN, late)), json.dumps(lease(BORN, BORN))
    kept = past.aged(past.steady(stored, before), datetime(2026, 5, 6, tzinfo=UTC), -DAYS)
    assert json.loads(kept) == lease(BORN, late)
    new = past.aged(json.dumps(lease(late, late)), datetime(2026, 5, 6, tzinfo=UTC), -DAYS)
    assert json.loads(new) == lease("2026-05-04T10:00:30Z", late)
