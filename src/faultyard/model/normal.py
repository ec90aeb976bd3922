"""Normal form: what of an object is somebody's decision, without what controllers write.

Every rule has its reason beside it. Two snapshots of an untouched cluster are equal in
normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from faultyard.model.fields import Fields, Path, covers, flatten, parse_pattern
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings
from faultyard.model.snapshots import Snapshot

IGNORED_KINDS: Final[Mapping[str, str]] = {
    "Event": "a report, not a state",
    "Lease": "renewed every few seconds by its holder",
    "IPAddress": "the allocator's book-keeping for Services",
    "ServiceCIDR": "the API server's own range, set by its flags",
    "CSINode": "written by the kubelet",
    "CSIStorageCapacity": "written by the storage driver",
    "CertificateSigningRequest": "kubelets renew by it and the signer prunes it",
    "ComponentStatus": "computed when it is read",
    "PodMetrics": "a measurement",
    "NodeMetrics": "a measurement",
    "StorageVersion": "the API server's book-keeping",
    "LeaseCandidate": "renewed by election candidates",
}
# An owner reference is the writer's own word: it hides only what controllers do make.
CONTROLLED_KINDS: Final = frozenset(
    {"Pod", "ReplicaSet", "ControllerRevision", "EndpointSlice", "Job"}
)
_IGNORED_CONFIG_MAPS: Final[Mapping[str, str]] = {
    "kube-root-ca.crt": "published into each namespace by a controller",
    "kube-apiserver-legacy-service-account-token-tracking": "dated by the API server",
    "extension-apiserver-authentication": "published by the API server",
}
_DROPPED: Final[Mapping[str, str]] = {
    "status": "an observation of controllers",
    "metadata.managedFields": "who wrote, not what",
    "metadata.resourceVersion": "a counter of writes",
    "metadata.generation": "a counter of writes",
    "metadata.uid": "compared apart, as recreation",
    "metadata.creationTimestamp": "follows the UID",
    "metadata.selfLink": "the address of the object itself",
    "metadata.annotations[deployment.kubernetes.io/revision]": "counted by the controller",
    "metadata.annotations[deprecated.daemonset.template.generation]": "counted by the server",
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]": "a copy",
    "metadata.annotations[kubernetes.io/change-cause]": "a note for people",
    "metadata.annotations[control-plane.alpha.kubernetes.io/leader]": "a lock that is renewed",
    "metadata.annotations[endpoints.kubernetes.io/last-change-trigger-time]": "a date",
}
_DROPPED_BY_KIND: Final[Mapping[str, Mapping[str, str]]] = {
    "Node": {
        "metadata.annotations": "kubelet and controllers keep their notes there",
        "spec.podCIDR": "allocated by a controller",
        "spec.podCIDRs": "allocated by a controller",
    },
    "PersistentVolumeClaim": {
        "metadata.annotations": "binder and provisioner keep their notes there",
        "spec.volumeName": "written by the binder",
    },
    "PersistentVolume": {
        "metadata.annotations": "the provisioner keeps its notes there",
        "spec.claimRef": "written by the binder",
    },
    "Pod": {"spec.nodeName": "written by the scheduler"},
    "APIService": {"spec.caBundle": "injected by controllers that rotate it"},
}
_NODE_TAINTS: Final = "node.kubernetes.io/"  # not-ready, unreachable, pressure: by controllers


@dataclass(frozen=True)
class NormalObject:
    """An object in normal form."""

    uid: str | None
    """None: not known, so that recreation cannot be told."""
    fields: Fields


State = Mapping[ObjectRef, NormalObject]


Seen = dict[ObjectRef, tuple[Mapping[str, Any], NormalObject]]
"""Objects that were brought into normal form, beside what they were."""


def normalise(
    snapshot: Snapshot,
    ignored: Iterable[ObjectRef] = (),
    shown: Iterable[ObjectRef] = (),
    seen: Seen | None = None,
) -> dict[ObjectRef, NormalObject]:
    """Return a snapshot's state in normal form.

    Args:
        snapshot: raw objects.
        ignored: objects that are nobody's decision in this trial (the session's own).
        shown: objects that are known to be somebody's decision, whatever they say of themselves.
        seen: from other snapshots; what is the same as there is not worked out again.
    """
    skip, known = frozenset(ignored), frozenset(shown)
    before: Seen = {} if seen is None else seen
    return {
        ref: _normal_once(ref, raw, before)
        for ref, raw in snapshot.objects.items()
        if ref not in skip
        and (not is_derived(ref, raw) or (ref in known and ref.kind not in IGNORED_KINDS))
    }


def _normal_once(ref: ObjectRef, raw: Mapping[str, Any], seen: Seen) -> NormalObject:
    known = seen.get(ref)
    # Python takes 1 for true; an object's version, which is a text, is another after each write.
    if known is None or known[0] != raw:
        known = seen[ref] = (raw, normal_object(ref, raw))
    return known[1]


def normal_object(ref: ObjectRef, raw: Mapping[str, Any]) -> NormalObject:
    """Return one object in normal form."""
    kept = {
        path: value
        for path, value in flatten(_without_bulk(_without_derived_parts(ref, raw))).items()
        if not _dropped(ref.kind, path)
    }
    uid = (raw.get("metadata") or {}).get("uid")
    return NormalObject(str(uid) if uid else None, kept)


def is_derived(ref: ObjectRef, raw: Mapping[str, Any]) -> bool:
    """Tell whether an object is written by controllers, as a consequence of others."""
    if ref.kind in IGNORED_KINDS:
        return True
    if ref.kind in CONTROLLED_KINDS and controller_of(raw) is not None:
        return True
    rule = _DERIVED.get(ref.kind)
    return rule is not None and rule(ref, raw)


def controller_of(raw: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (kind, name) of the object that controls this one, if one does."""
    for owner in mappings(mapping(raw.get("metadata")).get("ownerReferences")):
        if owner.get("controller"):
            return str(owner.get("kind")), str(owner.get("name"))
    return None


def _published_config_map(ref: ObjectRef, raw: Mapping[str, Any]) -> bool:
    return ref.name in _IGNORED_CONFIG_MAPS


def _managed_endpoints(ref: ObjectRef, raw: Mapping[str, Any]) -> bool:
    """Endpoints of a Service with a selector; those without are written by people."""
    metadata = raw.get("metadata") or {}
    labels, notes = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return (
        labels.get("endpoints.kubernetes.io/managed-by") == "endpoint-controller"
        or "endpoints.kubernetes.io/last-change-trigger-time" in notes
    )


def _served_version(ref: ObjectRef, raw: Mapping[str, Any]) -> bool:
    """An API version that the server itself serves: it comes and goes with a custom kind."""
    labels = (raw.get("metadata") or {}).get("labels") or {}
    return "kube-aggregator.kubernetes.io/automanaged" in labels


def _issued_token(ref: ObjectRef, raw: Mapping[str, Any]) -> bool:
    return raw.get("type") == "bootstrap.kubernetes.io/token"


_DERIVED: Final[Mapping[str, Callable[[ObjectRef, Mapping[str, Any]], bool]]] = {
    "APIService": _served_version,
    "ConfigMap": _published_config_map,
    "Endpoints": _managed_endpoints,
    "Secret": _issued_token,
}


def _without_derived_parts(ref: ObjectRef, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop what only a look at the values can tell from people's decisions."""
    if ref.kind == "Node":
        spec = dict(raw.get("spec") or {})
        taints = [
            taint
            for taint in spec.pop("taints", None) or ()
            if not str(taint.get("key", "")).startswith(_NODE_TAINTS)
        ]
        return {**raw, "spec": {**spec, **({"taints": taints} if taints else {})}}
    if raw.get("type") == "kubernetes.io/service-account-token":
        return {key: value for key, value in raw.items() if key != "data"}
    return raw


def _without_bulk(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Drop at once what is most of an object, and would be dropped field by field."""
    kept = {key: value for key, value in raw.items() if key != "status"}
    metadata = raw.get("metadata")
    if isinstance(metadata, dict):
        kept["metadata"] = {k: value for k, value in metadata.items() if k != "managedFields"}
    return kept


@lru_cache(maxsize=1 << 16)  # a cluster has the same few thousand again and again
def _dropped(kind: str, path: Path) -> bool:
    own = _PATTERNS_BY_KIND.get(kind, {})
    patterns = (*_PATTERNS.get(path[0], ()), *own.get(path[0], ()))
    return any(covers(pattern, path) for pattern in patterns)


def _compile(texts: Iterable[str]) -> dict[str, list[Path]]:
    """Return patterns by their first segment: most fields lie below none of them."""
    compiled: dict[str, list[Path]] = {}
    for text in texts:
        pattern = parse_pattern(text)
        compiled.setdefault(pattern[0], []).append(pattern)
    return compiled


_PATTERNS: Final = _compile(_DROPPED)
_PATTERNS_BY_KIND: Final = {kind: _compile(rules) for kind, rules in _DROPPED_BY_KIND.items()}
