"""Who outside of an application calls it: they may suffer when it does.

An application's description knows its own parts only. Who else asks it for something, the record
shows: a program is told the name of the edge, by its command, its environment or a ConfigMap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faultyard.model.application import Application
from faultyard.model.diagnosis.placement import owned_by
from faultyard.model.pods import ended
from faultyard.model.predicates.shots import chosen, leaving
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import items, mapping, mappings
from faultyard.model.snapshots import Snapshot

Raw = Mapping[str, Any]


def callers_outside(application: Application, shot: Snapshot) -> frozenset[str]:
    """Return whoever in another namespace is told the name of the application's edge.

    Returns:
        `Kind/namespace/name` of pods, of what they belong to, and of Services that select them,
        and their bare names, but for those of the application's own parts.
    """
    edge, own = re.escape(application.edge.service), re.escape(application.namespace)
    # As a name in the cluster: not as a part of another one, nor of one in another domain.
    name = re.compile(rf"(?<![\w.-]){edge}\.{own}(?![\w-])(?!\.(?!svc\b)\w)")
    found: set[ObjectRef] = set()
    for ref, pod in shot.of_kind("Pod", None).items():
        outside = ref.namespace != application.namespace
        if outside and not leaving(pod) and not ended(pod) and _is_told(name, pod, ref, shot):
            found |= {*owned_by(ref, shot), *_selecting(ref, pod, shot)}
    bare = {ref.name for ref in found} - {service.name for service in application.services}
    return frozenset(bare | {str(ref) for ref in found})


def _is_told(name: re.Pattern[str], pod: Raw, ref: ObjectRef, shot: Snapshot) -> bool:
    spec = mapping(pod.get("spec"))
    kinds = ("initContainers", "containers")
    containers = [one for kind in kinds for one in mappings(spec.get(kind))]
    maps = {
        ObjectRef("ConfigMap", ref.namespace, str(named))
        for named in _config_maps(spec, containers)
    }
    contents = [mapping(mapping(shot.objects.get(one)).get("data")).values() for one in maps]
    texts = [*_own_words(containers), *(text for content in contents for text in content)]
    return any(name.search(str(text)) for text in texts)


def _own_words(containers: Sequence[Raw]) -> Iterator[object]:
    for container in containers:
        yield from items(container.get("command"))
        yield from items(container.get("args"))
        yield from (one.get("value") for one in mappings(container.get("env")))


def _config_maps(spec: Raw, containers: Sequence[Raw]) -> Iterator[object]:
    """Yield the names of the ConfigMaps of which a pod's programs get something."""
    for volume in mappings(spec.get("volumes")):
        yield mapping(volume.get("configMap")).get("name")
        for source in mappings(mapping(volume.get("projected")).get("sources")):
            yield mapping(source.get("configMap")).get("name")
    for container in containers:
        for one in mappings(container.get("envFrom")):
            yield mapping(one.get("configMapRef")).get("name")
        for one in mappings(container.get("env")):
            yield mapping(mapping(one.get("valueFrom")).get("configMapKeyRef")).get("name")


def _selecting(ref: ObjectRef, pod: Raw, shot: Snapshot) -> Iterator[ObjectRef]:
    for service, raw in shot.of_kind("Service", ref.namespace).items():
        if chosen(pod, mapping(mapping(raw.get("spec")).get("selector"))):
            yield service
