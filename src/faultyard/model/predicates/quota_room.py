"""quota_room: a namespace's quotas leave room for the largest pods that a roll-out brings.

That all pods run says nothing of the next ones. A roll-out brings new pods before the old ones go,
a schedule brings pods that are not there now: a quota that leaves no room for them holds them up,
days later. What is in use is counted from the pods, as quotas count them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

from pydantic import StringConstraints

from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, Raw, over_snapshots
from faultyard.model.quantities import number
from faultyard.model.refs import ObjectRef
from faultyard.model.roll_outs import surge
from faultyard.model.shapes import mapping, mappings, pod_spec
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_Deployments = Mapping[ObjectRef, Raw]
_RESOURCES: Final = ("resourcequotas", "limitranges", "pods", "deployments", "cronjobs")
_OVER: Final = ("Succeeded", "Failed")
"""Phases of pods that no quota counts any more."""
_PODS: Final = ("pods", "count/pods")
_DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {
    "requests": ("defaultRequest", "default"),
    "limits": ("default",),
}
"""What a LimitRange has for containers that state nothing."""


class QuotaRoom(Strict):
    """`with:` of a quota_room check."""

    namespace: Annotated[str, StringConstraints(min_length=1)]


@dataclass(frozen=True)
class _Newcomers:
    """Pods that come beside those that are there."""

    whose: str
    count: int
    spec: Raw


@predicate("quota_room", QuotaRoom, MODES)
def quota_room(wanted: QuotaRoom, occasion: Occasion) -> Answer:
    """Judge the namespace's quotas in the phase's snapshots."""
    before = occasion.observations.snapshots.get("before")
    right = before.of_kind("Deployment", wanted.namespace) if before else {}
    return over_snapshots(occasion, _RESOURCES, lambda shot: _judge(wanted.namespace, shot, right))


def _judge(namespace: str, shot: Snapshot, right: _Deployments) -> Answer:
    ranges = [mapping(o.get("spec")) for o in shot.of_kind("LimitRange", namespace).values()]
    stated = [limit for spec in ranges for limit in mappings(spec.get("limits"))]
    defaults = [limit for limit in stated if limit.get("type") == "Container"]
    there = [
        mapping(pod.get("spec"))
        for pod in shot.of_kind("Pod", namespace).values()
        if mapping(pod.get("status")).get("phase") not in _OVER
    ]
    coming = list(_coming(namespace, shot, right))
    figures, short = {}, []
    for quota, resource, hard in _bounds(namespace, shot):
        used = sum((_asked(spec, resource, defaults) for spec in there), Decimal(0))
        needs = {one.whose: one.count * _asked(one.spec, resource, defaults) for one in coming}
        whose = max(needs, key=lambda name: needs[name], default="")
        needed = needs.get(whose, Decimal(0))
        figures[f"{quota}: {resource}"] = {
            "hard": _plain(hard),
            "used": _plain(used),
            "needed": _plain(needed),
        }
        if hard - used < needed:
            left = f"{_plain(hard - used)} left, {whose} needs {_plain(needed)} more"
            short.append(f"{resource} of {quota}: {left}")
    if short:
        return Answer(
            State.FAIL, f"no room for new pods in {namespace}: {'; '.join(short)}", figures
        )
    return Answer(State.PASS, f"the quotas of {namespace} leave room for new pods", figures)


def _bounds(namespace: str, shot: Snapshot) -> Iterator[tuple[str, str, Decimal]]:
    """Yield each bound of a quota that counts all pods: its name, the resource, how much."""
    for ref, raw in shot.of_kind("ResourceQuota", namespace).items():
        spec = mapping(raw.get("spec"))
        if spec.get("scopes") or spec.get("scopeSelector"):
            continue
        for resource, hard in mapping(spec.get("hard")).items():
            yield ref.name, str(resource), number(hard)


def _coming(namespace: str, shot: Snapshot, right: _Deployments) -> Iterator[_Newcomers]:
    for ref, raw in shot.of_kind("Deployment", namespace).items():
        then = mapping(mapping(right.get(ref)).get("spec"))
        count = _surge(mapping(raw.get("spec")), then)
        yield _Newcomers(f"a roll-out of {ref.name}", count, pod_spec(raw))
    for ref, raw in shot.of_kind("CronJob", namespace).items():
        spec = mapping(raw.get("spec"))
        job = mapping(mapping(spec.get("jobTemplate")).get("spec"))
        count = 0 if spec.get("suspend") else int(job.get("parallelism") or 1)
        yield _Newcomers(f"a run of {ref.name}", count, pod_spec(raw))


def _surge(spec: Raw, right: Raw) -> int:
    """Return how many pods a Deployment's roll-out brings before the first old one goes.

    Who makes room by a roll-out that stops the old ones first has found no room: the strategy that
    was right needs it still.
    """
    then = {**spec, "strategy": right.get("strategy")} if right else spec
    return max(surge(spec), surge(then))


def _asked(spec: Raw, resource: str, defaults: Sequence[Raw]) -> Decimal:
    """Return what a quota counts for a pod; of what is not the pod's, nothing."""
    if resource in _PODS:
        return Decimal(1)
    kind, _, name = resource.rpartition(".")
    if kind not in ("", "requests", "limits") or "/" in resource:
        return Decimal(0)
    kind = kind or "requests"
    whole = mapping(mapping(spec.get("resources")).get(kind))
    if name in whole:
        return number(whole[name])
    together, alone = Decimal(0), Decimal(0)
    for container in mappings(spec.get("containers")):
        together += _of_container(container, kind, name, defaults)
    for container in mappings(spec.get("initContainers")):
        asked = _of_container(container, kind, name, defaults)
        if container.get("restartPolicy") == "Always":  # it stays
            together += asked
        else:
            alone = max(alone, asked)
    return max(together, alone)


def _of_container(container: Raw, kind: str, name: str, defaults: Sequence[Raw]) -> Decimal:
    resources = mapping(container.get("resources"))
    stated = [mapping(resources.get(kind))]
    if kind == "requests":  # who states a limit alone requests as much
        stated.append(mapping(resources.get("limits")))
    stated += [mapping(limit.get(key)) for key in _DEFAULTS[kind] for limit in defaults]
    return next((number(amounts[name]) for amounts in stated if name in amounts), Decimal(0))


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"
