"""Objects as people name them: short kinds, and what controllers make of an object."""

from __future__ import annotations

import re
from typing import Final

from faultyard.model.refs import ObjectRef

_CLUSTER_WIDE: Final = frozenset(
    "Node Namespace PersistentVolume StorageClass ClusterRole ClusterRoleBinding PriorityClass "
    "IngressClass CustomResourceDefinition APIService RuntimeClass ValidatingWebhookConfiguration "
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy".split()
)
_NAMESPACED: Final = frozenset(
    "Pod Service Endpoints EndpointSlice Deployment ReplicaSet StatefulSet DaemonSet Job CronJob "
    "ConfigMap Secret ServiceAccount PersistentVolumeClaim NetworkPolicy Ingress Role RoleBinding "
    "ResourceQuota LimitRange HorizontalPodAutoscaler PodDisruptionBudget Event Lease".split()
)
_SHORT: Final = {
    "po": "Pod",
    "svc": "Service",
    "ep": "Endpoints",
    "endpoint": "Endpoints",
    "deploy": "Deployment",
    "rs": "ReplicaSet",
    "sts": "StatefulSet",
    "ds": "DaemonSet",
    "cj": "CronJob",
    "cm": "ConfigMap",
    "sa": "ServiceAccount",
    "pvc": "PersistentVolumeClaim",
    "pv": "PersistentVolume",
    "sc": "StorageClass",
    "netpol": "NetworkPolicy",
    "ing": "Ingress",
    "quota": "ResourceQuota",
    "limits": "LimitRange",
    "hpa": "HorizontalPodAutoscaler",
    "pdb": "PodDisruptionBudget",
    "no": "Node",
    "ns": "Namespace",
    "pc": "PriorityClass",
    "crd": "CustomResourceDefinition",
}
_KINDS: Final = {
    spelling: kind
    for kind in _CLUSTER_WIDE | _NAMESPACED
    for spelling in (
        kind.lower(),
        f"{kind.lower()}s",
        f"{kind.lower()}es",
        re.sub("y$", "ies", kind.lower()),
    )
} | _SHORT

# Kubernetes draws the random ends of names from this alphabet, so that they spell no word:
# `rate-limiter-x` is no pod of `rate`.
_RANDOM: Final = "[bcdfghjklmnpqrstvwxz2456789]"
_MADE_OF: Final[dict[str, dict[str, str]]] = {
    "Service": {"Endpoints": "", "EndpointSlice": f"-{_RANDOM}{{5}}"},
    "Deployment": {
        "ReplicaSet": f"-{_RANDOM}{{1,10}}",
        "Pod": f"-{_RANDOM}{{1,10}}-{_RANDOM}{{5}}",
    },
    "ReplicaSet": {"Pod": f"-{_RANDOM}{{5}}"},
    "StatefulSet": {"Pod": "-[0-9]+"},
    "DaemonSet": {"Pod": f"-{_RANDOM}{{5}}"},
    "Job": {"Pod": f"(-[0-9]+)?-{_RANDOM}{{5}}"},
    "CronJob": {"Job": "-[0-9]+", "Pod": f"-[0-9]+-{_RANDOM}{{5}}"},
}


def read(text: str) -> ObjectRef:
    """Read `Kind/namespace/name`; kinds may be short or plural, as kubectl takes them.

    Raises:
        ValueError: not of that form; the message says how to write it.
    """
    parts = [part.strip() for part in text.strip().split("/")]
    kind = _KINDS.get(parts[0].lower(), parts[0])
    if len(parts) == 2 and kind in _CLUSTER_WIDE:
        parts = [kind, "", parts[1]]
    if len(parts) != 3 or not kind or not parts[2]:
        raise ValueError(
            f"{text!r} is no object reference; write Kind/namespace/name "
            "(Deployment/shop/cart), or Kind//name for a cluster-wide object (Node//worker-1)"
        )
    if kind in _NAMESPACED and not parts[1]:
        raise ValueError(f"{text!r} lacks the namespace; write {kind}/<namespace>/{parts[2]}")
    return ObjectRef(kind, "" if kind in _CLUSTER_WIDE else parts[1], parts[2])


def same(stated: ObjectRef, said: ObjectRef) -> bool:
    """Whether `said` is `stated`, or what a controller makes of it (its pods, its slices)."""
    if stated.namespace != said.namespace:
        return False
    if stated.name == said.name and _same_kind(stated.kind, said.kind):
        return True
    end = _MADE_OF.get(stated.kind, {}).get(said.kind)
    return end is not None and re.fullmatch(re.escape(stated.name) + end, said.name) is not None


def _same_kind(stated: str, said: str) -> bool:
    # The API group of a custom kind (`Widget.example.com`) may be left out.
    return said.lower() in (stated.lower(), stated.partition(".")[0].lower())
