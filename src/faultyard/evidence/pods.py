"""Names of pods and containers, for events that know numbers only."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from faultyard.model import cluster_json
from faultyard.model.shapes import mapping, mappings

_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


@dataclass
class Pods:
    """What is known of the pods of a trial, those too that came and went."""

    names: dict[str, str] = field(default_factory=dict)
    """UID -> `namespace/name`."""
    containers: dict[str, str] = field(default_factory=dict)
    """Container ID -> name."""
    owners: dict[str, str] = field(default_factory=dict)
    """Container ID -> UID of its pod."""
    addresses: dict[str, str] = field(default_factory=dict)
    """IP address -> UID; of pods with an address of their own."""
    added: set[str] = field(default_factory=set)
    """IDs of containers that were added to running pods."""
    made_by: dict[str, str] = field(default_factory=dict)
    """UID -> user who created it."""

    def learn(self, pod: Mapping[str, Any]) -> None:
        """Take in a pod as the API server shows it."""
        metadata, status = mapping(pod.get("metadata")), mapping(pod.get("status"))
        uid = str(metadata.get("uid") or "")
        if not uid:
            return
        self.names[uid] = f"{metadata.get('namespace')}/{metadata.get('name')}"
        if not mapping(pod.get("spec")).get("hostNetwork") and status.get("podIP"):
            self.addresses[str(status["podIP"])] = uid
        for kind in _STATUSES:
            for container in mappings(status.get(kind)):
                number = str(container.get("containerID") or "").rpartition("/")[2]
                if number:
                    self.containers[number] = str(container.get("name"))
                    self.owners[number] = uid
                    if kind.startswith("ephemeral"):
                        self.added.add(number)


def known(snapshots: Iterable[bytes], audit: bytes) -> Pods:
    """Return what snapshots and audit log know.

    Args:
        snapshots: files of snapshots.
        audit: the API server's log, whole lines.
    """
    pods = Pods()
    for line in io.BytesIO(audit):
        if b'"resource":"pods"' in line:
            _learn_from(pods, line)
    for content in snapshots:
        for raw in mappings(mapping(cluster_json.loads(content)).get("objects")):
            if raw.get("kind") == "Pod" and raw.get("apiVersion") == "v1":
                pods.learn(raw)
    return pods


def _learn_from(pods: Pods, line: bytes) -> None:
    try:
        event = mapping(cluster_json.loads(line))
    except ValueError:
        return  # the record is damaged, as its reader says; the other lines have their pods
    for body in (event.get("responseObject"), event.get("requestObject")):
        if mapping(body).get("kind") == "Pod":
            pods.learn(mapping(body))
    if event.get("verb") == "create" and not mapping(event.get("objectRef")).get("subresource"):
        uid = mapping(mapping(event.get("responseObject")).get("metadata")).get("uid")
        if uid:
            pods.made_by[str(uid)] = str(mapping(event.get("user")).get("username", ""))
