"""Notes in a workload's template that only make its pods be made anew.

A new pod differs from the old one by nothing but the note: what `kubectl rollout restart` writes,
what charts write when something that the pods read has changed, and whatever people write there
that no program reads.
"""

from __future__ import annotations

import re
from typing import Final

from faultyard.model.diff import ABSENT, FieldChange
from faultyard.model.fields import Path

NOTES: Final[Path] = ("spec", "template", "metadata", "annotations")
RESTARTED: Final[Path] = (*NOTES, "kubectl.kubernetes.io/restartedAt")
_ROLLED: Final = r"restart|redeploy|roll[-_]?out|rolled|rollme"
_WHEN: Final = r"checksum|(?:^|[-_.])date$|ed[-_]?at$"
# Names that say themselves that something was rolled out, or when.
_TOLD: Final = re.compile(
    rf"{_ROLLED}|{_WHEN}|reload|hash|rotat|refresh|timestamp",
    re.IGNORECASE,
)
# What a program reads may well be named after hashes, or after what it reloads.
_TOLD_TO_PROGRAMS: Final = re.compile(rf"{_ROLLED}|{_WHEN}", re.IGNORECASE)
# Kubernetes' own domains in which people put such notes too; none of theirs is read.
_BORROWED: Final = frozenset({"kubernetes.io", "app.kubernetes.io"})
_TOLD_THERE: Final = re.compile(rf"{_ROLLED}|^change-cause$", re.IGNORECASE)
_CHECKSUM: Final = "checksum"
# Domains whose keys mean something to what runs in a cluster, or may: nobody's note for himself.
_READ: Final = re.compile(
    r"""(?:.*\.)?(?:kubernetes\.io|k8s\.io|prometheus\.io|istio\.io|linkerd\.io|hashicorp\.com
    |stakater\.com|cilium\.io|projectcalico\.org|cni\.cncf\.io|fluentbit\.io|datadoghq\.com
    |dapr\.io|keda\.sh|knative\.dev|openshift\.io|cert-manager\.io|jaegertracing\.io
    |opentelemetry\.io|kuma\.io|openpolicyagent\.org|gatekeeper\.sh|kyverno\.io|velero\.io
    |amazonaws\.com|azure\.com|google\.com|gke\.io|containerd\.io|crio\.io|katacontainers\.io
    |karpenter\.sh|volcano\.sh|argoproj\.io|fluxcd\.io|crossplane\.io|kubevirt\.io|ovn\.org
    |nvidia\.com|grafana\.com|victoriametrics\.com|elastic\.co|co\.elastic\.[a-z]+|newrelic\.com
    |splunk\.com|fluentd\.org|vector\.dev|traefik\.io|helm\.sh|keel\.sh|janitor|downscaler
    |metallb\.universe\.tf|metallb\.io|emberstack\.com|mittwald\.de|konghq\.com|cattle\.io
    |getambassador\.io|coreos\.com)""",
    re.VERBOSE | re.IGNORECASE,
)
# A platform's own domain: its keys say whose something is, or what may be done with it.
_OWN: Final = ".internal"


def only_restarts(field: FieldChange) -> bool:
    """Tell whether a change of a field does nothing but have a workload's pods made anew."""
    if field.path == RESTARTED:
        return True
    if not isinstance(field.after, str) or field.path[:-1] != NOTES:
        return False
    return is_note(field.path[-1], new=field.before is ABSENT)


def is_note(key: str, new: bool) -> bool:
    """Tell whether a key in a template serves for nothing but to have pods made anew."""
    domain, slash, name = key.rpartition("/")
    if slash and domain == _CHECKSUM:
        return True
    if domain.lower() in _BORROWED and _TOLD_THERE.search(name):
        return True
    if _READ.fullmatch(domain):
        return False
    # A note that was there meant something to whoever wrote it, unless it says that it does not.
    return bool(_TOLD.search(name)) or (new and unread(domain))


def unread(domain: str) -> bool:
    """Tell whether keys of a domain are nobody's but their writer's; so are those of none."""
    return not _READ.fullmatch(domain) and not domain.lower().endswith(_OWN)


def told_by(variable: str) -> bool:
    """Tell whether a variable's name says that something was rolled out, or when."""
    return bool(_TOLD_TO_PROGRAMS.search(variable))
