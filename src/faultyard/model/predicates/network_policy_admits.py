"""network_policy_admits: a NetworkPolicy keeps out nobody whom it let in before the injection.

Looks at what both mean, not at what they say (`model.network_policies`, asked the other way
round). Asked about are those who are there, those whom a workload, a job or a schedule would
bring, and addresses: whoever comes at night or for an alert is not missed while a trial runs.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from faultyard.model import network_policies as policies
from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, Raw, over_snapshots
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import items, mapping, mappings
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_KIND: Final = "NetworkPolicy"
_RESOURCES: Final = ("networkpolicies", "pods", "namespaces")
_MAKERS: Final = ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob")
_SHOWN: Final = 3
Name = Annotated[str, StringConstraints(min_length=1)]


def _block(text: str) -> str:
    ipaddress.ip_network(text)
    return text


class NetworkPolicyAdmits(Strict):
    """`with:` of a network_policy_admits check."""

    namespace: Name
    policy: Name
    open_for: Annotated[str, AfterValidator(_block)] | None = None
    """Whom rules that name no sources are there for, a block of addresses: to all others they may
    be closed. None: for everybody."""


@predicate("network_policy_admits", NetworkPolicyAdmits, MODES)
def network_policy_admits(wanted: NetworkPolicyAdmits, occasion: Occasion) -> Answer:
    """Compare the policy in the phase's snapshots with what it was before the injection."""
    before = occasion.observations.snapshots.get("before")
    if before is None:
        return Answer(State.ERROR, "there is no snapshot 'before'")
    ref = ObjectRef(_KIND, wanted.namespace, wanted.policy)
    right = before.objects.get(ref)
    if right is None:
        return Answer(State.ERROR, f"there was no {ref} before")
    needed = _as_meant(right, wanted.open_for)
    return over_snapshots(occasion, _RESOURCES, lambda shot: _judge(ref, needed, before, shot))


def _judge(ref: ObjectRef, right: Raw, before: Snapshot, shot: Snapshot) -> Answer:
    now = shot.objects.get(ref)
    if now is None:
        return Answer(State.PASS, f"{ref} is gone, and keeps nobody out")
    if _entries(now) > policies.MOST_ENDS:
        return Answer(State.FAIL, f"{ref} has more rules than anybody can tell")
    objects = {**_with_those_to_come(before), **_with_those_to_come(shot)}
    others = [raw for other, raw in shot.of_kind(_KIND, ref.namespace).items() if other != ref]
    # What the right one lets through beyond this one is what this one shuts out.
    lost = policies.opened(now, right, policies.Surroundings(ref.namespace, objects, others))
    if not lost:
        return Answer(State.PASS, f"{ref} keeps out nobody whom it has to let in")
    said = "; ".join(lost[:_SHOWN]) + (f" and {len(lost) - _SHOWN} more" if lost[_SHOWN:] else "")
    reason = f"{ref} keeps out whom the right one lets in: there {said}"
    return Answer(State.FAIL, reason, {"shut_out": len(lost)})


def _as_meant(policy: Raw, open_for: str | None) -> Raw:
    """Return a policy that lets those through rules without sources for whom these are there."""
    spec = mapping(policy.get("spec"))
    block = {"from": [{"ipBlock": {"cidr": open_for}}]} if open_for else {}
    rules = [
        rule if rule.get("from") else {**rule, **block} for rule in mappings(spec.get("ingress"))
    ]
    return {**policy, "spec": {**spec, "ingress": rules}}


def _with_those_to_come(shot: Snapshot) -> Mapping[ObjectRef, Raw]:
    """Return a snapshot's objects, and the pods that there are not at the moment."""
    return {**dict(_to_come(shot)), **shot.objects}


def _to_come(shot: Snapshot) -> Iterator[tuple[ObjectRef, Raw]]:
    for kind in _MAKERS:
        for ref, raw in shot.of_kind(kind, None).items():
            spec = mapping(raw.get("spec"))
            spec = mapping(mapping(spec.get("jobTemplate")).get("spec")) or spec
            yield (
                ObjectRef("Pod", ref.namespace, f"(one of {kind} {ref.name})"),
                {"metadata": mapping(mapping(spec.get("template")).get("metadata"))},
            )


def _entries(policy: Raw) -> int:
    spec = mapping(policy.get("spec"))
    rules = [*mappings(spec.get("ingress")), *mappings(spec.get("egress"))]
    return sum(len(items(rule.get("from"))) + len(items(rule.get("to"))) or 1 for rule in rules)
