"""What the harness does after the turn: a repair has to survive it, not only to look right."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from faultyard.clusters import workloads
from faultyard.clusters.api import ApiError
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.errors import NotReady
from faultyard.faults.kinds import Kinds
from faultyard.faults.registry import parameters
from faultyard.faults.settings import RESTARTED
from faultyard.model.problem import HoldEvent
from faultyard.trials.timeline import Timeline

ROLL_OUT_S = 60
"""How long a roll-out may take before it is left as it is, in seconds."""

Happen = Callable[[Cell, Mapping[str, Any]], str]
"""Does it; returns how it went, a clause."""

_KINDS: Kinds[Happen] = Kinds("hold event")


def hold_event(kind: str) -> Callable[[Happen], Happen]:
    """Register a function as a kind of event, under the name that problems use."""
    return _KINDS.register(kind)


def kinds() -> frozenset[str]:
    """The names of all kinds."""
    return _KINDS.names


def happen(cell: Cell, events: Sequence[HoldEvent], timeline: Timeline) -> float | None:
    """Let the events of a problem happen, one after the other.

    Args:
        cell: where.
        events: which.
        timeline: is told each and how it went.

    Returns:
        When they were over, unix seconds; None: there are none.

    Raises:
        Refused: there is no such kind, or a parameter is missing or unknown.
        ClusterError: the cluster did not answer.
    """
    for event in events:
        timeline.step(f"hold event {event.kind}", _KINDS.find(event.kind)(cell, event.with_))
    return time.time() if events else None


@hold_event("fresh_start")
def fresh_start(cell: Cell, given: Mapping[str, Any]) -> str:
    """A Deployment's pods are made anew, one after the other, as any release does.

    What they need to start, and what they read then, is that of now. A Deployment that is gone, or
    whose new pods do not get ready, is left so: that is what the agent's repair came to.

    Args:
        cell: where.
        given: `namespace`, `workload` (Deployment/name).
    """
    namespace, workload = map(str, parameters(given, "namespace", "workload"))
    kind, _, name = workload.partition("/")
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    annotations = {"metadata": {"annotations": {RESTARTED: now}}}
    path = f"/apis/apps/v1/namespaces/{namespace}/{kind.lower()}s/{name}"
    with cell.entered(), cell.api() as api:
        try:
            api.patch(path, {"spec": {"template": annotations}})
            workloads.wait_complete(api, [(kind, namespace, name)], ROLL_OUT_S)
        except ApiError as error:
            return f"{workload} was not started anew: {error}"
        except NotReady as error:
            return f"{workload} did not get ready anew: {error.last_seen}"
    return f"{workload} was started anew"
