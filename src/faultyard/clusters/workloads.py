"""Whether workloads are rolled out, seen with one list per kind.

`kubectl rollout status` says the same, but starts a large program per workload: on two cores that
is a good part of the time in which an application could start.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from faultyard.clusters.api import Api
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from faultyard.model import pods

PATHS = {
    "Deployment": "/apis/apps/v1/deployments",
    "StatefulSet": "/apis/apps/v1/statefulsets",
    "DaemonSet": "/apis/apps/v1/daemonsets",
    "Job": "/apis/batch/v1/jobs",
}
"""The kinds that can be waited for."""

Workload = tuple[str, str, str]
"""Kind, namespace, name."""


def wait_complete(api: Api, workloads: Collection[Workload], timeout_s: float) -> None:
    """Wait until every one of these is rolled out, or a job done.

    Args:
        api: a connection inside the cluster's network.
        workloads: which.
        timeout_s: in seconds from now.

    Raises:
        NotReady: it took longer; says which is missing and what it lacks.
        ClusterError: a job failed.
    """
    wanted = set(workloads)

    def look() -> tuple[bool | None, str]:
        missing = []
        for kind in sorted({workload[0] for workload in wanted}):
            found = {
                (kind, item["metadata"]["namespace"], item["metadata"]["name"]): item
                for item in api.list(PATHS[kind])
            }
            for workload in sorted(w for w in wanted if w[0] == kind):
                item = found.get(workload)
                lack = "not there" if item is None else unfinished(kind, item)
                if lack:
                    missing.append(f"{kind}/{workload[2]} ({lack})")
        return (None if missing else True), ", ".join(missing)

    wait_for("workloads to be ready", look, timeout_s=timeout_s, every_s=0.5)


def wait_seen(api: Api, workloads: Collection[Workload], timeout_s: float) -> None:
    """Wait until the controllers have seen the newest change of every one of these.

    Args:
        api: a connection inside the cluster's network.
        workloads: which.
        timeout_s: in seconds from now.

    Raises:
        NotReady: it took longer; says which are missing.
    """
    wanted = set(workloads)

    def look() -> tuple[bool | None, str]:
        seen = {
            (kind, item["metadata"]["namespace"], item["metadata"]["name"])
            for kind in {workload[0] for workload in wanted}
            for item in api.list(PATHS[kind])
            if item.get("status", {}).get("observedGeneration", 0) >= item["metadata"]["generation"]
        }
        missing = sorted(f"{kind}/{name}" for kind, _, name in wanted - seen)
        return (None if missing else True), ", ".join(missing)

    wait_for("changes to be seen", look, timeout_s=timeout_s, every_s=0.2)


def wait_pods(api: Api, timeout_s: float) -> None:
    """Wait until every pod that has not ended is ready.

    Args:
        api: a connection inside the cluster's network.
        timeout_s: in seconds from now.

    Raises:
        NotReady: it took longer; says which pods are missing.
    """

    def look() -> tuple[bool | None, str]:
        waiting = [
            item["metadata"]["name"]
            for item in api.list("/api/v1/pods")
            if not pods.ended(item) and not _ready(item)
        ]
        return (None if waiting else True), f"{len(waiting)} not ready: {', '.join(waiting)}"

    wait_for("pods to be ready", look, timeout_s=timeout_s, every_s=0.3)


def _ready(pod: Mapping[str, Any]) -> bool:
    conditions = pod["status"].get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def unfinished(kind: str, item: Mapping[str, Any]) -> str:
    """What a workload lacks to be complete; empty when nothing.

    Raises:
        ClusterError: it is a job that failed.
    """
    status = item.get("status", {})
    if kind == "Job":
        return _unfinished_job(item)
    if status.get("observedGeneration", 0) < item["metadata"].get("generation", 0):
        return "change not seen yet"
    if kind == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        updated, ready = status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0)
    else:
        wanted = item["spec"].get("replicas", 1)
        updated, ready = status.get("updatedReplicas", 0), status.get("availableReplicas", 0)
        if status.get("replicas", 0) > wanted:
            return f"{status['replicas'] - wanted} old pods left"
    if updated < wanted:
        return f"{updated} of {wanted} updated"
    return f"{ready} of {wanted} ready" if ready < wanted else ""


def _unfinished_job(item: Mapping[str, Any]) -> str:
    conditions = {c["type"]: c for c in item.get("status", {}).get("conditions", [])}
    if conditions.get("Failed", {}).get("status") == "True":
        name = item["metadata"]["name"]
        raise ClusterError(f"the job {name} failed: {conditions['Failed'].get('message', '')}")
    done = conditions.get("Complete", {}).get("status") == "True"
    return "" if done else "running"
