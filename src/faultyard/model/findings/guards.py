"""Whether a guard lets more through than it did.

Only what is surely looser counts as weakened: a guard that was made stricter is a changed
object like any other. A selector that differs counts as looser, since what it chose before may
be unguarded now.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from faultyard.model.diff import ABSENT, FieldChange
from faultyard.model.fields import render
from faultyard.model.quantities import number
from faultyard.model.shapes import items

Raw = Mapping[str, Any]
_LEVELS: Final = {"privileged": 0, "baseline": 1, "restricted": 2}
# Without these less is allowed, not more (a namespace goes together with all that is in it).
_REACH: Final = {"ClusterIP": 0, "NodePort": 1, "LoadBalancer": 2, "ExternalName": 3}
_NOT_BY_ABSENCE: Final = frozenset(
    {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "Namespace"}
)
_UNHEALTHY: Final = "unhealthyPodEvictionPolicy"
_ENFORCE: Final = "pod-security.kubernetes.io/enforce"


def loosened(kind: str, before: Raw | None, after: Raw | None, neighbours: bool) -> list[str]:
    """Return in which ways a guard is looser than it was, one clause each; none: it is not.

    Args:
        kind: a kind of `boundary.GUARDS`.
        before: the guard as it was right; None: there was none.
        after: as it is at the end; None: it is gone.
        neighbours: whether other guards of the kind stand beside it.
    """
    if before is None:
        return _added(kind, after or {}, neighbours)
    if after is None:
        return [] if kind in _NOT_BY_ABSENCE else ["it is gone"]
    return list(_RULES[kind](before, after))


def loosened_pods(fields: Iterable[FieldChange]) -> list[str]:
    """Return which security settings of a pod or a template are looser than they were."""
    return [render(field.path) for field in fields if _looser_setting(field)]


def exposed(fields: Iterable[FieldChange]) -> list[str]:
    """Return which fields of a Service open it to more than its own cluster, or too early."""
    return [render(field.path) for field in fields if _exposes(field)]


def names(leaf: object) -> set[str]:
    """Return the names in a flattened list; an absent one has none."""
    try:
        found = json.loads(leaf) if isinstance(leaf, str) else []
    except ValueError:
        return set()  # an object of another kind that happens to name its fields so
    return set(map(str, items(found)))


def _exposes(field: FieldChange) -> bool:
    before, after = field.before, field.after
    match field.path:
        case ("spec", "type"):
            return _REACH.get(str(after), 0) > _REACH.get(str(before), 0)
        case ("spec", "externalIPs"):
            return not names(after) <= names(before)
        case ("spec", "externalName" | "loadBalancerIP"):
            return after is not ABSENT and after != ""
        case ("spec", "publishNotReadyAddresses"):
            return after is True
    return False


def _added(kind: str, after: Raw, neighbours: bool) -> list[str]:
    """A new permission is one more; a new policy opens what others had closed."""
    if kind in ("RoleBinding", "ClusterRoleBinding"):
        return ["it is a new permission"]
    spec = after.get("spec") or {}
    if kind == "NetworkPolicy" and neighbours and (spec.get("ingress") or spec.get("egress")):
        return ["it is a new policy that allows traffic"]
    return []


def _network_policy(before: Raw, after: Raw) -> Iterable[str]:
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if old.get("podSelector") != new.get("podSelector"):
        yield "it selects other pods"
    lost = set(old.get("policyTypes") or ()) - set(new.get("policyTypes") or ())
    if lost:
        yield f"it no longer covers {', '.join(sorted(lost))}"
    for direction in ("ingress", "egress"):
        if _gained(old.get(direction), new.get(direction)):
            yield f"its {direction} rules allow more"


def _role(before: Raw, after: Raw) -> Iterable[str]:
    if _grants(after) - _grants(before):
        yield "its rules allow more"


def _grants(role: Raw) -> set[tuple[str, ...]]:
    """Return single permissions, so that two spellings of the same rules are equal."""
    found: set[tuple[str, ...]] = set()
    for rule in role.get("rules") or ():
        names = rule.get("resourceNames") or ["*"]
        for verb in rule.get("verbs") or ():
            found |= {(verb, url) for url in rule.get("nonResourceURLs") or ()}
            found |= {
                (verb, group, resource, name)
                for group in rule.get("apiGroups") or ()
                for resource in rule.get("resources") or ()
                for name in names
            }
    return found


def _binding(before: Raw, after: Raw) -> Iterable[str]:
    if before.get("roleRef") != after.get("roleRef"):
        yield "it grants another role"
    if _gained(before.get("subjects"), after.get("subjects")):
        yield "it has more subjects"


def _quota(before: Raw, after: Raw) -> Iterable[str]:
    old, new = before.get("spec") or {}, after.get("spec") or {}
    hard = new.get("hard") or {}
    for name, limit in (old.get("hard") or {}).items():
        if name not in hard or _amount(hard[name]) > _amount(limit):
            yield f"the limit on {name} is {hard.get(name, 'gone')} instead of {limit}"
    if _gained(old.get("scopes"), new.get("scopes")) or old.get("scopeSelector") != new.get(
        "scopeSelector"
    ):
        yield "it counts less"


def _limit_range(before: Raw, after: Raw) -> Iterable[str]:
    new = {entry.get("type"): entry for entry in (after.get("spec") or {}).get("limits") or ()}
    for entry in (before.get("spec") or {}).get("limits") or ():
        left = new.get(entry.get("type")) or {}
        for bound, sign in (("max", 1), ("min", -1)):
            for name, value in (entry.get(bound) or {}).items():
                now = (left.get(bound) or {}).get(name)
                if now is None or sign * _amount(now) > sign * _amount(value):
                    yield f"the {bound} of {name} is {now or 'gone'} instead of {value}"


def _disruption_budget(before: Raw, after: Raw) -> Iterable[str]:
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if old.get("selector") != new.get("selector"):
        yield "it selects other pods"
    policies = (old.get(_UNHEALTHY), new.get(_UNHEALTHY))
    if policies[0] != "AlwaysAllow" and policies[1] == "AlwaysAllow":
        yield "it no longer keeps pods that are not ready"
    for name, sign in (("minAvailable", -1), ("maxUnavailable", 1)):
        if name in old and (name not in new or _more(old[name], new[name], sign)):
            yield f"{name} is {new.get(name, 'gone')} instead of {old[name]}"


def _more(old: object, new: object, sign: int) -> bool:
    if str(old).endswith("%") != str(new).endswith("%"):
        return True  # a share and a count cannot be compared
    return sign * _amount(new) > sign * _amount(old)


def _amount(value: object) -> Decimal:
    """Return a quantity's value; of one that nobody can read, that it is without bounds."""
    try:
        return number(value)
    except ValueError:
        return Decimal("Infinity")


def _webhooks(before: Raw, after: Raw) -> Iterable[str]:
    new = {hook.get("name"): hook for hook in after.get("webhooks") or ()}
    for hook in before.get("webhooks") or ():
        name, left = hook.get("name"), new.get(hook.get("name"))
        if left is None:
            yield f"the webhook {name} is gone"
            continue
        if (hook.get("failurePolicy"), left.get("failurePolicy")) == ("Fail", "Ignore"):
            yield f"a failure of {name} is ignored"
        if _asked(hook) != _asked(left):
            yield f"{name} asks somebody else"
        if _gained(left.get("rules"), hook.get("rules")):
            yield f"{name} is asked about less"
        for selector in ("namespaceSelector", "objectSelector"):
            if (hook.get(selector) or {}) != (left.get(selector) or {}):
                yield f"the {selector} of {name} differs"
        if _gained(hook.get("matchConditions"), left.get("matchConditions")):
            yield f"{name} has more conditions"


def _asked(hook: Raw) -> tuple[object, object]:
    """Return whom a webhook asks; a new certificate is the same one's."""
    config = hook.get("clientConfig") or {}
    return config.get("url"), config.get("service")


def _admission_policy(before: Raw, after: Raw) -> Iterable[str]:
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if (old.get("failurePolicy"), new.get("failurePolicy")) == ("Fail", "Ignore"):
        yield "its failure is ignored"
    for name in ("validations", "mutations"):
        if _gained(new.get(name), old.get(name)):
            yield f"some of its {name} are gone or differ"
    if (old.get("matchConstraints") or {}) != (new.get("matchConstraints") or {}):
        yield "it is asked about other requests"
    if _gained(old.get("matchConditions"), new.get("matchConditions")):
        yield "it has more conditions"


def _admission_binding(before: Raw, after: Raw) -> Iterable[str]:
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if "Deny" in (old.get("validationActions") or ()) and "Deny" not in (
        new.get("validationActions") or ()
    ):
        yield "it no longer denies"
    for name in ("policyName", "paramRef", "matchResources"):
        if old.get(name) != new.get(name):
            yield f"its {name} differs"


def _namespace(before: Raw, after: Raw) -> Iterable[str]:
    old = ((before.get("metadata") or {}).get("labels") or {}).get(_ENFORCE)
    new = ((after.get("metadata") or {}).get("labels") or {}).get(_ENFORCE)
    if _LEVELS.get(str(new), 0) < _LEVELS.get(str(old), 0):
        yield f"it enforces the pod security level {new or 'none'} instead of {old}"


def _gained(old: Iterable[Any] | None, new: Iterable[Any] | None) -> bool:
    """Tell whether `new` has an item that `old` has not."""
    known = list(old or ())
    return any(item not in known for item in new or ())


def _looser_setting(field: FieldChange) -> bool:
    name, after = field.path[-1], field.after
    if name in ("hostNetwork", "hostPID", "hostIPC"):
        return after is True
    if "securityContext" not in field.path:
        return False
    if "capabilities" in field.path:
        lost, gained = (after, field.before) if name == "add" else (field.before, after)
        return not names(lost) <= names(gained)
    return (
        (name in ("privileged", "allowPrivilegeEscalation") and after is True)
        or (name in ("runAsNonRoot", "readOnlyRootFilesystem") and field.before is True)
        or (name == "runAsUser" and after == 0)
        or ("seccompProfile" in field.path and field.before in ("RuntimeDefault", "Localhost"))
    )


_RULES: Final[Mapping[str, Callable[[Raw, Raw], Iterable[str]]]] = {
    "NetworkPolicy": _network_policy,
    "Role": _role,
    "ClusterRole": _role,
    "RoleBinding": _binding,
    "ClusterRoleBinding": _binding,
    "ResourceQuota": _quota,
    "LimitRange": _limit_range,
    "PodDisruptionBudget": _disruption_budget,
    "ValidatingWebhookConfiguration": _webhooks,
    "MutatingWebhookConfiguration": _webhooks,
    "ValidatingAdmissionPolicy": _admission_policy,
    "ValidatingAdmissionPolicyBinding": _admission_binding,
    "MutatingAdmissionPolicy": _admission_policy,
    "MutatingAdmissionPolicyBinding": _admission_binding,
    "Namespace": _namespace,
}
