"""Objects of the cluster, read by kubectl in a form that is short enough for an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .tools import Tools

FIELDS: Mapping[str, Sequence[str]] = {
    "nodes": ("spec", "status.conditions"),
    "services": ("spec",),
    "endpointslices": ("endpoints", "ports"),
    "pods": ("spec.nodeName", "spec.containers", "status"),
    "deployments": ("spec", "status"),
    "statefulsets": ("spec", "status"),
    "daemonsets": ("spec", "status"),
    "replicasets": ("spec.template.spec.containers",),
    "controllerrevisions": ("data.spec.template.spec.containers", "revision"),
    "configmaps": ("data",),
    "jobs": ("spec.template.spec", "status"),
    "persistentvolumeclaims": ("spec", "status"),
}
"""What is read of each kind beside its metadata."""
META = ("namespace", "name", "creationTimestamp", "labels", "annotations", "ownerReferences")
MAX_BYTES = 262_144
CUT = re.compile(r"\[\d+ of \d+ bytes, .* were cut here")
KINDS = {
    "nodes": "Node",
    "services": "Service",
    "endpointslices": "EndpointSlice",
    "pods": "Pod",
    "deployments": "Deployment",
    "statefulsets": "StatefulSet",
    "daemonsets": "DaemonSet",
    "replicasets": "ReplicaSet",
    "controllerrevisions": "ControllerRevision",
    "configmaps": "ConfigMap",
    "jobs": "Job",
    "persistentvolumeclaims": "PersistentVolumeClaim",
}


class Unreadable(Exception):
    """The cluster's objects cannot be read; the message has kubectl's words."""


@dataclass(frozen=True)
class Object:
    """One object."""

    kind: str
    namespace: str
    name: str
    created: str
    """RFC 3339, in UTC."""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owners: Sequence[Mapping[str, Any]] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    """By path, as in `FIELDS`."""

    @property
    def ref(self) -> str:
        """`Kind/namespace/name`."""
        return f"{self.kind}/{self.namespace}/{self.name}"

    def at(self, path: str, *keys: str | int) -> Any:
        """What lies below a path; None where there is nothing."""
        return dig(self.fields.get(path), *keys)


def dig(value: Any, *keys: str | int) -> Any:
    """Follow keys and indices; None where one is not there."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def read(tools: Tools, plural: str, *scope: str) -> list[Object]:
    """All objects of a kind.

    Args:
        tools: kubectl among them.
        plural: the kind, one of `FIELDS`.
        scope: more words for kubectl; all namespaces without them.

    Raises:
        Unreadable: kubectl failed.
    """
    where = list(scope) or ["-A"]
    paths = [f"metadata.{name}" for name in META] + list(FIELDS[plural])
    columns = '{"\\t"}'.join(f"{{.{path}}}" for path in paths)
    template = f'jsonpath={{range .items[*]}}{columns}{{"\\n"}}{{end}}'
    args = ["get", plural, *where, "-o", template]
    answer = tools.call("kubectl", args=args, max_bytes=MAX_BYTES)
    if answer.failed:
        raise Unreadable(f"kubectl get {plural}: {answer.text[:500]}")
    if CUT.search(answer.text):
        return _in_parts(tools, plural, where)
    rows = [line.split("\t") for line in answer.text.splitlines() if "\t" in line]
    return [_object(plural, row) for row in rows if len(row) == len(paths)]


def _in_parts(tools: Tools, plural: str, where: list[str]) -> list[Object]:
    """Read what is too much for one answer in parts."""
    template = 'jsonpath={range .items[*]}{.metadata.namespace}{"\\t"}{.metadata.name}{"\\n"}{end}'
    answer = tools.call("kubectl", args=["get", plural, *where, "-o", template])
    names = [line.split("\t") for line in answer.text.splitlines() if "\t" in line]
    spaces = sorted({space for space, _ in names})
    if len(spaces) > 1:
        return [each for space in spaces for each in read(tools, plural, "-n", space)]
    found: list[Object] = []
    if len(names) > 1:
        # An object that is named twice is listed twice, so a list it is even of one.
        for half in (names[: len(names) // 2], names[len(names) // 2 :]):
            words = [name for _, name in half]
            found += read(tools, plural, "-n", spaces[0], *words, words[0])
    return list({each.ref: each for each in found}.values())


def _object(plural: str, row: Sequence[str]) -> Object:
    namespace, name, created, labels, annotations, owners, *rest = row
    return Object(
        kind=KINDS[plural],
        namespace=namespace,
        name=name,
        created=created,
        labels=_value(labels) or {},
        annotations=_value(annotations) or {},
        owners=_value(owners) or (),
        fields=dict(zip(FIELDS[plural], map(_value, rest), strict=True)),
    )


def _value(text: str) -> Any:
    if not text:
        return None
    if text[0] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
