"""The cluster as it is now: which pods belong to which workload, and who depends on whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from . import objects
from .objects import Object, dig
from .tools import Tools

SYSTEM = frozenset(("kube-system", "kube-public", "kube-node-lease"))
WORKLOADS = ("deployments", "statefulsets", "daemonsets")
ADDRESS = re.compile(r"(?:^|[/@,=\s\"'])([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?):(\d{2,5})\b")
"""A host and a port, as they stand in settings."""


@dataclass(frozen=True)
class Address:
    """A host and a port that a workload is told, and by whom."""

    host: str
    port: int | None
    source: str
    """The object that holds it."""
    key: str
    """Where in it."""
    value: str


@dataclass
class Cluster:
    """Objects of the cluster, each kind read once, when it is first asked for.

    Args:
        tools: kubectl among them.
    """

    tools: Tools
    _read: dict[str, list[Object]] = field(default_factory=dict)

    def all(self, plural: str) -> list[Object]:
        """Every object of a kind."""
        if plural not in self._read:
            self._read[plural] = objects.read(self.tools, plural)
        return self._read[plural]

    @cached_property
    def workloads(self) -> dict[str, Object]:
        """What keeps pods running, by reference."""
        return {each.ref: each for plural in WORKLOADS for each in self.all(plural)}

    @cached_property
    def services(self) -> dict[str, Object]:
        """By `namespace/name`."""
        return {f"{each.namespace}/{each.name}": each for each in self.all("services")}

    @cached_property
    def by_cluster_ip(self) -> dict[str, Object]:
        """Services by their address."""
        found = {str(each.at("spec", "clusterIP")): each for each in self.services.values()}
        return {address: each for address, each in found.items() if address[:1].isdigit()}

    def workload_of(self, pod: Object) -> Object | None:
        """The workload that a pod belongs to."""
        for owner in pod.owners:
            name = f"{owner.get('kind')}/{pod.namespace}/{owner.get('name')}"
            if name in self.workloads:
                return self.workloads[name]
            for each in self.all("replicasets"):
                if each.ref == name and each.owners:
                    up = each.owners[0]
                    return self.workloads.get(f"{up['kind']}/{pod.namespace}/{up['name']}")
        return None

    def pods_of(self, workload: Object) -> list[Object]:
        """A workload's pods."""
        wanted = workload.at("spec", "selector", "matchLabels") or {}
        return [pod for pod in self._pods_in(workload.namespace) if selects(wanted, pod.labels)]

    def selected(self, service: Object) -> list[Object]:
        """The pods to which a Service leads, ready or not."""
        wanted = service.at("spec", "selector") or {}
        return [pod for pod in self._pods_in(service.namespace) if selects(wanted, pod.labels)]

    def services_of(self, workload: Object) -> list[Object]:
        """The Services that lead, or by their name should lead, to a workload's pods."""
        labels = dig(workload.fields, "spec", "template", "metadata", "labels") or {}
        return [
            each
            for each in self.services.values()
            if each.namespace == workload.namespace
            and (selects(each.at("spec", "selector") or {}, labels) or each.name == workload.name)
        ]

    def behind(self, service: Object) -> list[Object]:
        """The workloads behind a Service."""
        return [each for each in self.workloads.values() if service in self.services_of(each)]

    def _pods_in(self, namespace: str) -> list[Object]:
        return [pod for pod in self.all("pods") if pod.namespace == namespace]

    def find_service(self, host: str, namespace: str) -> Object | None:
        """The Service that a host name means in a namespace."""
        name, _, rest = host.partition(".")
        space = rest.split(".")[0] if rest else namespace
        return self.services.get(f"{space}/{name}")

    def addresses(self, workload: Object) -> list[Address]:
        """The hosts that a workload is told in its environment, arguments and ConfigMaps."""
        found = []
        for source, key, value in self._settings(workload):
            hits = ADDRESS.findall(value)
            found += [Address(host, int(port), source, key, value) for host, port in hits]
            if not hits and self.find_service(value.strip(), workload.namespace) is not None:
                found.append(Address(value.strip(), None, source, key, value))
        return found

    def _settings(self, workload: Object) -> Iterator[tuple[str, str, str]]:
        pod = dig(workload.fields, "spec", "template", "spec") or {}
        for container in pod.get("containers") or ():
            place = f"spec.template.spec.containers[{container['name']}]"
            for word in (*(container.get("command") or ()), *(container.get("args") or ())):
                yield workload.ref, f"{place}.args", str(word)
            maps: list[tuple[str, str | None]] = [
                (name, None)
                for each in container.get("envFrom") or ()
                if (name := dig(each, "configMapRef", "name"))
            ]
            for each in container.get("env") or ():
                if "value" in each:
                    yield workload.ref, f"{place}.env[{each['name']}]", str(each["value"])
                elif reference := dig(each, "valueFrom", "configMapKeyRef"):
                    maps.append((reference["name"], reference["key"]))
            yield from self._from_maps(workload.namespace, maps)

    def _from_maps(
        self, namespace: str, maps: Iterable[tuple[str, str | None]]
    ) -> Iterator[tuple[str, str, str]]:
        known = {each.name: each for each in self.all("configmaps") if each.namespace == namespace}
        for name, only in maps:
            data = (known[name].at("data") or {}) if name in known else {}
            for key, value in data.items():
                if only in {None, key}:
                    yield known[name].ref, f"data.{key}", str(value)

    @cached_property
    def calls(self) -> dict[str, set[str]]:
        """Workload -> the workloads on which it depends, by what it is told."""
        found: dict[str, set[str]] = {}
        for workload in self.workloads.values():
            targets = found.setdefault(workload.ref, set())
            for address in self.addresses(workload):
                service = self.find_service(address.host, workload.namespace)
                if service is not None:
                    targets |= {each.ref for each in self.behind(service)} - {workload.ref}
        return found

    def callers(self, refs: Iterable[str]) -> list[str]:
        """Everything that depends on these workloads, directly or not; not they themselves."""
        start = set(refs)
        reached, edge = set(start), set(start)
        while edge:
            edge = {caller for caller, targets in self.calls.items() if targets & edge} - reached
            reached |= edge
        return sorted(reached - start)


def selects(wanted: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether a selector takes an object with these labels; an empty one takes none."""
    return bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())


def ready(pod: Object) -> bool:
    """Whether a pod is ready."""
    return any(
        each.get("type") == "Ready" and each.get("status") == "True"
        for each in pod.at("status", "conditions") or ()
    )


def containers(workload: Object) -> list[dict[str, Any]]:
    """The containers of a workload's template."""
    return dig(workload.fields, "spec", "template", "spec", "containers") or []
