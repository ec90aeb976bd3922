"""Faults of pods: they are gone, as after a node's maintenance, and have to come back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.api import Api, ApiError
from faultyard.clusters.waiting import wait_for
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.predicates.shots import chosen, leaving
from faultyard.model.refs import ObjectRef

GONE_S = 60
DEPLOYER = "deploy"
"""Whose identity in the cell evicts: the pipeline's."""


@fault("pods_evicted", ends_roll_outs=True)
def pods_evicted(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """All pods of a Deployment are evicted, as by who drains their nodes.

    By itself that is no fault: they are made anew, unless something keeps them from it.

    Args:
        pipeline: of the application that the Deployment belongs to.
        given: `namespace`, `deployment`.

    Returns:
        Nothing: pods are their controller's.

    Raises:
        NotReady: they are still there after `GONE_S` seconds.
    """
    namespace, deployment = map(str, parameters(given, "namespace", "deployment"))
    manifest = pipeline.manifest(ObjectRef("Deployment", namespace, deployment))
    labels = manifest["spec"]["selector"]["matchLabels"]
    path = f"/api/v1/namespaces/{namespace}/pods"
    with pipeline.cell.entered(), pipeline.cell.api(DEPLOYER) as api:
        evicted = {str(p["metadata"]["uid"]) for p in api.list(path) if chosen(p, labels)}

        def look() -> tuple[bool | None, str]:
            there = [pod for pod in api.list(path) if str(pod["metadata"]["uid"]) in evicted]
            names = [str(pod["metadata"]["name"]) for pod in there]
            for name, pod in zip(names, there, strict=True):
                if not leaving(pod):
                    _evict(api, namespace, name)
            return (None if there else True), f"{', '.join(names)} are there"

        wait_for(f"the pods of {deployment} to be gone", look, timeout_s=GONE_S, every_s=1)
    return []


def _evict(api: Api, namespace: str, pod: str) -> None:
    """Ask for one to be evicted; a budget may refuse for now (429), and it may be gone (404)."""
    body = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod, "namespace": namespace},
    }
    try:
        api.post(f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction", body)
    except ApiError as error:
        if error.status not in (404, 429):
            raise
