"""Faults of Services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef


@fault("service_target_port")
def service_target_port(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A Service's first port leads to a port on which nobody listens.

    Args:
        pipeline: of the application that the Service belongs to.
        given: `namespace`, `service`, `port` (the wrong target port).
    """
    namespace, service, port = parameters(given, "namespace", "service", "port")
    ref = ObjectRef("Service", str(namespace), str(service))
    manifest = pipeline.manifest(ref)
    manifest["spec"]["ports"][0]["targetPort"] = int(port)
    pipeline.release(manifest)
    return [DeclaredChange(object=str(ref), fields=["spec.ports"], by="fault")]
