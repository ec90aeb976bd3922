"""Faults of NetworkPolicies."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import Refused
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef


@fault("network_policy_too_open")
def network_policy_too_open(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A policy lets pods of other namespaces reach what it guards, on the port it guards.

    What is allowed stays allowed, so nobody who should get through notices.

    Args:
        pipeline: of the application that the policy belongs to.
        given: `namespace`, `policy`, `port` (whose rule is widened), `tier` (only namespaces with
            this value of the label meridian.internal/tier; empty: all namespaces).
    """
    namespace, policy, port, tier = map(
        str, parameters(given, "namespace", "policy", "port", "tier")
    )
    ref = ObjectRef("NetworkPolicy", namespace, policy)
    pipeline.release(widened(pipeline.manifest(ref), int(port), tier))
    return [DeclaredChange(object=str(ref), fields=["spec.ingress"], by="fault")]


def widened(policy: Mapping[str, Any], port: int, tier: str) -> dict[str, Any]:
    """A policy's manifest in which the first rule for a port admits other namespaces too.

    Raises:
        Refused: no rule names sources for this port.
    """
    changed: dict[str, Any] = copy.deepcopy(dict(policy))
    labels = {"matchLabels": {"meridian.internal/tier": tier}} if tier else {}
    for rule in changed["spec"].get("ingress") or ():
        ports = [entry.get("port") for entry in rule.get("ports") or ()]
        if port in ports and rule.get("from"):
            rule["from"] = [*rule["from"], {"namespaceSelector": labels}]
            return changed
    name = changed["metadata"]["name"]
    raise Refused(f"the NetworkPolicy {name} has no rule with sources for port {port}")
