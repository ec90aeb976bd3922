"""The nights before: what CronJobs did, in a cluster that is to look like days old.

The jobs really run, once each; then their times are moved to where the schedule has them as soon as
the template's age is added (`past.woken`).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from faultyard.apps.applications import ApplicationFolder
from faultyard.apps.deployment import FIELD_MANAGER, apply
from faultyard.clusters import workloads
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.control_plane import ETCD
from faultyard.clusters.embedded.past import woken
from faultyard.clusters.embedded.store import OBJECTS, Store
from faultyard.clusters.embedded.template import AGE
from faultyard.clusters.waiting import wait_for

Json = dict[str, Any]

LAST = timedelta(hours=19)
"""How long ago the last run is when a cluster begins: the next one comes after any trial."""
DAY = timedelta(days=1)
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
JOB_NAME = "batch.kubernetes.io/job-name"
TIMEOUT_S = 120


def live(cell: Cell, application: ApplicationFolder) -> None:
    """Have every CronJob of an application run for each day of the template's age.

    Args:
        cell: where the application runs; a template is to be taken of it now.
        application: which.

    Raises:
        ClusterError: a job does not end well in time.
    """
    for manifest in application.objects():
        if manifest["kind"] == "CronJob":
            _run(cell, manifest)


def _run(cell: Cell, manifest: Mapping[str, Any]) -> None:
    namespace, name = manifest["metadata"]["namespace"], manifest["metadata"]["name"]
    own = f"/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}"
    with cell.entered(), cell.api() as api:
        uid = api.get(own)["metadata"]["uid"]
    # When each was due, as the template's clock has it: AGE is added when it is used.
    due = [datetime.now(UTC) + AGE - LAST - DAY * day for day in range(AGE // DAY + 1)]
    jobs = [_job(manifest, uid, when) for when in due]
    apply(cell, jobs)
    with cell.entered(), cell.api() as api:
        wanted = [("Job", namespace, job["metadata"]["name"]) for job in jobs]
        workloads.wait_complete(api, wanted, TIMEOUT_S)
    _forget_pods(cell, namespace, jobs)
    with cell.entered(), Store(ETCD) as store:
        for job, when in zip(jobs, due, strict=True):
            key = f"{OBJECTS}jobs/{namespace}/{job['metadata']['name']}"
            store.rewrite(functools.partial(_dated, when), key)
        cron_job = f"{OBJECTS}cronjobs/{namespace}/{name}"
        store.rewrite(functools.partial(_ran, due[0]), cron_job)


def _job(manifest: Mapping[str, Any], uid: str, due: datetime) -> Json:
    """A job as the controller makes it of its CronJob."""
    meta, template = manifest["metadata"], manifest["spec"]["jobTemplate"]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": meta["name"],
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{meta['name']}-{int(due.timestamp()) // 60}",
            "namespace": meta["namespace"],
            "labels": template.get("metadata", {}).get("labels", {}),
            "annotations": {SCHEDULED: f"{due:%Y-%m-%dT%H:%M}:00Z"},
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }


def _forget_pods(cell: Cell, namespace: str, jobs: Sequence[Json]) -> None:
    """Pods of jobs that ended are collected in time; their containers are in no template."""
    names = ",".join(job["metadata"]["name"] for job in jobs)
    path = f"/api/v1/namespaces/{namespace}/pods?labelSelector={JOB_NAME}+in+({names})"

    def look() -> tuple[bool | None, str]:
        left = api.get(path)["items"]
        return (None if left else True), f"{len(left)} pods are left"

    with cell.entered(), cell.api() as api:
        api.delete(path)
        wait_for("pods of past jobs to be gone", look, timeout_s=TIMEOUT_S, every_s=0.5)


def _dated(due: datetime, _: str, stored: str) -> str:
    """A job that ran just now, as if it had been made by its controller when it was due."""
    made = datetime.fromisoformat(json.loads(stored)["metadata"]["creationTimestamp"])
    item = json.loads(woken(stored, timedelta(seconds=int((due - made).total_seconds())), {}))
    item["metadata"]["annotations"][SCHEDULED] = f"{due:%Y-%m-%dT%H:%M}:00Z"
    for entry in item["metadata"]["managedFields"]:
        if entry["manager"] == FIELD_MANAGER:
            entry.update(manager="kube-controller-manager", operation="Update")
    return json.dumps(item, separators=(",", ":"))


def _ran(last: datetime, _: str, stored: str) -> str:
    """A CronJob whose last run began then and took a few seconds."""
    item = json.loads(stored)
    item.setdefault("status", {}).update(
        lastScheduleTime=f"{last:%Y-%m-%dT%H:%M}:00Z",
        lastSuccessfulTime=f"{last:%Y-%m-%dT%H:%M}:05Z",
    )
    return json.dumps(item, separators=(",", ":"))
