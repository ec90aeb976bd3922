from typing import Any

import pytest

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.workloads import unfinished


def deployment(generation: int = 2, **status: int) -> dict[str, Any]:
    return {
        "metadata": {"name": "search", "generation": generation},
        "spec": {"replicas": 2},
        "status": status,
    }


@pytest.mark.parametrize(
    ("item", "lack"),
    [
        (deployment(observedGeneration=1), "change not seen yet"),
        (deployment(observedGeneration=2, updatedReplicas=1), "1 of 2 updated"),
        (
            deployment(observedGeneration=2, updatedReplicas=2, replicas=3, availableReplicas=3),
            "1 old pods left",
        ),
        (
            deployment(observedGeneration=2, updatedReplicas=2, replicas=2, availableReplicas=1),
            "1 of 2 ready",
        ),
        (
            deployment(observedGeneration=2, updatedReplicas=2, replicas=2, availableReplicas=2),
            "",
        ),
    ],
)
def test_what_a_deployment_lacks_is_said(item: dict[str, Any], lack: str) -> None:
    assert unfinished("Deployment", item) == lack


def test_a_daemon_set_is_complete_when_every_wanted_pod_is_new_and_available() -> None:
    status = {"desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 2}
    item = {"metadata": {"name": "agent"}, "spec": {}, "status": status}
    assert unfinished("DaemonSet", item) == ""


def test_a_failed_job_is_an_error_and_not_waited_for() -> None:
    failed = {"type": "Failed", "status": "True", "message": "BackoffLimitExceeded"}
    item = {"metadata": {"name": "init"}, "status": {"conditions": [failed]}}
    with pytest.raises(ClusterError, match="the job init failed: BackoffLimitExceeded"):
        unfinished("Job", item)


def test_a_job_is_running_until_it_is_complete() -> None:
    assert unfinished("Job", {"metadata": {"name": "init"}, "status": {}}) == "running"
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    assert unfinished("Job", {"metadata": {"name": "init"}, "status": done}) == ""
