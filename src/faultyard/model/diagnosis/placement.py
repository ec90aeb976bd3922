"""Which of an application's components a node carries: they suffer when it is lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from faultyard.model.application import Application
from faultyard.model.pods import ended
from faultyard.model.predicates.shots import chosen, leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings
from faultyard.model.snapshots import Snapshot


@dataclass(frozen=True)
class Placement:
    """Components by the node, written `Node//name`."""

    whole: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Those of which every pod is there."""
    part: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Those of which some pods are there."""
    workloads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Whatever runs there, of the application or not: `Kind/namespace/name` of pods and of what
    they belong to."""


def placement_of(application: Application, shot: Snapshot) -> Placement:
    """See where the pods are that each component's Service selects."""
    whole: dict[str, set[str]] = defaultdict(set)
    part: dict[str, set[str]] = defaultdict(set)
    pods = [raw for raw in shot.of_kind("Pod", application.namespace).values() if not leaving(raw)]
    for service in application.services:
        raw = shot.objects.get(ObjectRef("Service", application.namespace, service.name))
        selector = mapping(mapping(mapping(raw).get("spec")).get("selector"))
        places = {
            f"Node//{mapping(pod.get('spec')).get('nodeName')}"
            for pod in pods
            if chosen(pod, selector)
        }
        for place in places:
            (whole if len(places) == 1 else part)[place].add(service.name)
    return Placement(_frozen(whole), _frozen(part), _frozen(_workloads(shot)))


def owned_by(ref: ObjectRef, shot: Snapshot) -> Iterator[ObjectRef]:
    """Yield the object itself and who owns it, up to the workload that a person made."""
    seen: set[ObjectRef] = set()
    waiting = [ref]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        yield one
        owners = mappings(
            mapping(mapping(shot.objects.get(one)).get("metadata")).get("ownerReferences")
        )
        waiting += [
            ObjectRef(str(owner.get("kind")), one.namespace, str(owner.get("name")))
            for owner in owners
        ]


def _workloads(shot: Snapshot) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for ref, pod in shot.of_kind("Pod", None).items():
        if not leaving(pod) and not ended(pod):
            place = f"Node//{mapping(pod.get('spec')).get('nodeName')}"
            found[place] |= {str(one) for one in owned_by(ref, shot)}
    return found


def _frozen(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {place: frozenset(names) for place, names in sets.items()}
