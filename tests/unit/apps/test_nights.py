"""What a CronJob did in the nights before: jobs as their controller makes them, and their times."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from faultyard.apps import nights
from faultyard.clusters.embedded.template import AGE

DUE = datetime(2026, 5, 6, 4, 40, 30, tzinfo=UTC)
CRON_JOB = {
    "metadata": {"name": "report", "namespace": "shop"},
    "spec": {
        "jobTemplate": {"metadata": {"labels": {"app": "report"}}, "spec": {"backoffLimit": 2}}
    },
}


def test_a_job_has_the_name_the_owner_and_the_time_that_its_controller_gives_it() -> None:
    job = nights._job(CRON_JOB, "u-1", DUE)
    meta = job["metadata"]
    assert meta["name"] == f"report-{int(DUE.timestamp()) // 60}"
    assert meta["annotations"][nights.SCHEDULED] == "2026-05-06T04:40:00Z"
    assert [(o["kind"], o["name"], o["uid"], o["controller"]) for o in meta["ownerReferences"]] == [
        ("CronJob", "report", "u-1", True)
    ]
    assert meta["labels"] == {"app": "report"}
    assert job["spec"] == {"backoffLimit": 2}


def test_a_job_that_ran_now_ran_when_it_was_due() -> None:
    stored = {
        "kind": "Job",
        "metadata": {
            "creationTimestamp": "2026-05-04T10:00:00Z",
            "annotations": {nights.SCHEDULED: "2026-05-06T04:40:00Z"},
            "managedFields": [
                {"manager": "deploy", "operation": "Apply", "time": "2026-05-04T10:00:00Z"},
                {"manager": "kube-controller-manager", "operation": "Update"},
            ],
        },
        "status": {"completionTime": "2026-05-04T10:00:04Z"},
    }
    job = json.loads(nights._dated(DUE, "key", json.dumps(stored)))
    assert job["metadata"]["creationTimestamp"] == "2026-05-06T04:40:30Z"
    assert job["metadata"]["annotations"][nights.SCHEDULED] == "2026-05-06T04:40:00Z"
    assert job["status"]["completionTime"] == "2026-05-06T04:40:34Z"
    managers = [(m["manager"], m["operation"]) for m in job["metadata"]["managedFields"]]
    assert managers == [("kube-controller-manager", "Update")] * 2


def test_the_cron_job_says_when_it_ran_last() -> None:
    cron_job = json.loads(nights._ran(DUE, "key", json.dumps({"kind": "CronJob"})))
    assert cron_job["status"] == {
        "lastScheduleTime": "2026-05-06T04:40:00Z",
        "lastSuccessfulTime": "2026-05-06T04:40:05Z",
    }


def test_the_last_run_is_within_a_day_and_the_next_one_after_any_trial() -> None:
    assert timedelta(hours=12) < nights.LAST < timedelta(hours=20)
    assert nights.LAST + nights.DAY * (AGE // nights.DAY) < AGE
