"""Faults of settings that several programs share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef

RESTARTED = "kubectl.kubernetes.io/restartedAt"
"""The annotation of a pod template with which people roll out anew what did not change."""


@fault("shared_setting", ends_roll_outs=True, in_objects=True)
def shared_setting(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A key of a ConfigMap gets a value, and one of its consumers is rolled out with it.

    The others read it when they start the next time. So it comes last: what is rolled out after it
    would have the value as well.

    Args:
        pipeline: of the application that they belong to.
        given: `namespace`, `config_map`, `key`, `value`, `workload` (Kind/name).
    """
    namespace, config_map, key, value, workload = map(
        str, parameters(given, "namespace", "config_map", "key", "value", "workload")
    )
    shared = ObjectRef("ConfigMap", namespace, config_map)
    manifest = pipeline.manifest(shared)
    manifest["data"][key] = value
    pipeline.release(manifest)
    kind, _, name = workload.partition("/")
    consumer = ObjectRef(kind, namespace, name)
    pipeline.release(restarted(pipeline.manifest(consumer), datetime.now(UTC)))
    return [
        DeclaredChange(object=str(shared), fields=[f"data[{key}]"], by="fault"),
        DeclaredChange(
            object=str(consumer),
            fields=[f"spec.template.metadata.annotations[{RESTARTED}]"],
            by="fault",
        ),
    ]


def restarted(manifest: dict[str, Any], at: datetime) -> dict[str, Any]:
    """The manifest of a workload, its pods to be made anew.

    Args:
        manifest: changed in place, and returned.
        at: the moment that the pods' annotation gets.
    """
    metadata = manifest["spec"]["template"].setdefault("metadata", {})
    metadata.setdefault("annotations", {})[RESTARTED] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return manifest
