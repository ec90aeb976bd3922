"""Pods that are asked for and not made: a dry run at the API server, with all its guards."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from faultyard.apps.applications import ApplicationFolder
from faultyard.checks.registry import Kind, Round, Tried, tried
from faultyard.clusters.api import Api, ApiError
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.waiting import wait_for
from faultyard.model.predicates.admission import (
    ADMITTED,
    KIND,
    REFUSED,
    Admission,
    asked,
    quietly,
)
from faultyard.model.probes import Asked

DRY_RUN: Final = {"dryRun": "All"}
NAME: Final = "admission-check-"
USER: Final = 65532
ANSWERED_S: Final = 30


def ask_once(cell: Cell, application: ApplicationFolder) -> None:
    """See that a pod of an application would be admitted, in every trial and whatever its checks.

    The API server's metrics tell whether guards were asked, and for dry runs: of the trials that
    try it again and again these must not be the only ones.

    Raises:
        NotReady: it would not be, `ANSWERED_S` seconds later.
    """
    namespace = application.description.namespace
    images = [
        str(item["spec"]["template"]["spec"]["containers"][0]["image"])
        for item in application.objects()
        if item["kind"] == "Deployment" and item["metadata"].get("namespace") == namespace
    ]
    if not images:
        return
    with cell.entered(), cell.api() as api:

        def look() -> tuple[bool | None, str]:
            outcome, said = _ask(api, namespace, images[0])
            return (True if outcome == ADMITTED else None), said

        wait_for(f"a pod of {namespace} to be admitted", look, timeout_s=ANSWERED_S, every_s=0.5)


def _prepare(cell: Cell, _: Admission) -> Round:
    def round_(pods: Sequence[Asked]) -> list[Tried]:
        with cell.entered(), cell.api() as api:
            return [
                Tried(one, *_ask(api, one["namespace"], one["image"]), time.time()) for one in pods
            ]

    return round_


def _ask(api: Api, namespace: str, image: str) -> tuple[str, str]:
    """The outcome of one creation, and the server's words."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    try:
        api.post(path, manifest(image), params=DRY_RUN)
    except ApiError as error:
        return REFUSED, str(error)
    return ADMITTED, "it would be created"


def manifest(image: str) -> dict[str, Any]:
    """A pod as small and as well guarded as any: nothing but its image may keep it out."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": NAME},
        "spec": {
            "automountServiceAccountToken": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "main",
                    "image": image,
                    "resources": {
                        "requests": {"cpu": "1m", "memory": "1Mi"},
                        "limits": {"cpu": "1m", "memory": "1Mi"},
                    },
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]},
                    },
                }
            ],
        },
    }


tried("admission", Kind(KIND, Admission, asked, _prepare, quietly))
