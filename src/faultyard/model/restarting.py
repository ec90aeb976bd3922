"""Notes in a workload's template that only make its pods be made anew.

A new pod differs from the old one by nothing but the note: what `kubectl rollout restart` writes,
or what charts write when something that the pods read has changed.
"""

from __future__ import annotations

import re
from typing import Final

from faultyard.model.diff import FieldChange
from faultyard.model.fields import Path

NOTES: Final[Path] = ("spec", "template", "metadata", "annotations")
RESTARTED: Final[Path] = (*NOTES, "kubectl.kubernetes.io/restartedAt")
_TOLD: Final = re.compile(
    r"restart|redeploy|roll-?out|rolled|rollme|checksum|reload|hash", re.IGNORECASE
)
_CHECKSUM: Final = "checksum"
# Domains whose keys mean something to what runs in a cluster, or may: nobody's note for himself.
_READ: Final = re.compile(
    r"""(?:.*\.)?(?:kubernetes\.io|k8s\.io|prometheus\.io|istio\.io|linkerd\.io|hashicorp\.com
    |stakater\.com|cilium\.io|projectcalico\.org|cni\.cncf\.io|fluentbit\.io|datadoghq\.com
    |dapr\.io|keda\.sh|knative\.dev|openshift\.io|cert-manager\.io|jaegertracing\.io
    |opentelemetry\.io|kuma\.io|openpolicyagent\.org|gatekeeper\.sh|kyverno\.io|velero\.io
    |amazonaws\.com|azure\.com|google\.com|gke\.io|containerd\.io|crio\.io|katacontainers\.io)""",
    re.VERBOSE | re.IGNORECASE,
)


def only_restarts(field: FieldChange) -> bool:
    """Tell whether a change of a field does nothing but have a workload's pods made anew."""
    if field.path == RESTARTED:
        return True
    added = isinstance(field.after, str)
    return added and field.path[:-1] == NOTES and _is_note(field.path[-1])


def _is_note(key: str) -> bool:
    domain, slash, name = key.rpartition("/")
    if slash and domain == _CHECKSUM:
        return True
    return not _READ.fullmatch(domain) and bool(_TOLD.search(name))
