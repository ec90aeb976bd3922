"""Connections from within pods' networks to Services.

The harness opens them itself, in the pod's network namespace: no exec, no program in the pod. What
is on their way (the node's bridge, proxy and policies) is what the pod's own programs meet.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from faultyard.checks.registry import Kind, Round, Tried, tried
from faultyard.clusters.api import Api, ApiError
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.pod_networks import PodNetworks
from faultyard.model.predicates.connections import CLOSED, KIND, OPEN, Connections, asked
from faultyard.model.predicates.shots import condition, leaving
from faultyard.model.probes import ABSENT, Asked

TIMEOUT_S: Final = 2.0
"""What is refused is dropped. A handshake is the kernel's work: a busy host does not delay it."""


@dataclass
class _Paths:
    """The connections of one check."""

    cell: Cell
    networks: PodNetworks = field(init=False)

    def __post_init__(self) -> None:
        self.networks = PodNetworks(self.cell)

    def round(self, pairs: Sequence[Asked]) -> list[Tried]:
        with self.cell.entered():
            with self.cell.api() as api:
                pods = {name: _pod(api, name) for name in {pair["from"] for pair in pairs}}
                places = {name: _address(api, name) for name in {pair["to"] for pair in pairs}}
            with ThreadPoolExecutor(max_workers=len(pairs)) as pool:
                return list(
                    pool.map(
                        lambda pair: self._connect(pair, pods[pair["from"]], places[pair["to"]]),
                        pairs,
                    )
                )

    def _connect(
        self, pair: Asked, pod: dict[str, Any] | None, place: tuple[str, int] | None
    ) -> Tried:
        if pod is None:
            return Tried(pair, ABSENT, f"{pair['from']} has no ready pod", time.time())
        if place is None:
            return Tried(pair, ABSENT, f"there is no Service {pair['to']}", time.time())
        with self.networks.entered(pod["spec"]["nodeName"], pod["metadata"]["uid"]):
            opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        outcome, detail = knock(opened, place)
        return Tried(pair, outcome, f"{pod['metadata']['name']}: {detail}", time.time())


def knock(opened: socket.socket, place: tuple[str, int]) -> tuple[str, str]:
    """Connect and hang up.

    Args:
        opened: a socket of the network from which it is tried; closed afterwards.
        place: address and port.

    Returns:
        The outcome, and what was seen.
    """
    with opened:
        opened.settimeout(TIMEOUT_S)
        try:
            opened.connect(place)
        except TimeoutError:
            return CLOSED, f"no answer within {TIMEOUT_S:.0f} s"
        except OSError as error:
            return CLOSED, error.strerror or str(error)
    return OPEN, "connected"


def _pod(api: Api, name: str) -> dict[str, Any] | None:
    """A ready pod of a workload, `namespace/name`."""
    namespace, _, label = name.partition("/")
    chosen = {"labelSelector": f"app.kubernetes.io/name={label}"}
    found = api.get(f"/api/v1/namespaces/{namespace}/pods", params=chosen)["items"]
    ready = [pod for pod in found if condition(pod, "Ready") == "True" and not leaving(pod)]
    return min(ready, key=lambda pod: str(pod["metadata"]["name"]), default=None)


def _address(api: Api, place: str) -> tuple[str, int] | None:
    """Address and port of a Service, `namespace/name:port`; None: there is none."""
    name, _, port = place.partition(":")
    namespace, _, service = name.partition("/")
    try:
        found = api.get(f"/api/v1/namespaces/{namespace}/services/{service}")
    except ApiError as error:
        if error.status == 404:
            return None
        raise
    return str(found["spec"]["clusterIP"]), int(port)


def _prepare(cell: Cell, _: Connections) -> Round:
    return _Paths(cell).round


tried("connections", Kind(KIND, Connections, asked, _prepare))
