"""All tools of a turn: the same in every trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from faultyard.tools import changes, events, kubectl, nodes, reporting, telemetry
from faultyard.tools.backends import Backends
from faultyard.tools.cluster import Cluster
from faultyard.tools.reporting import Reports
from faultyard.tools.running import Runner
from faultyard.tools.tool import Form, Tool

INSTRUCTIONS = """\
You are on call at Meridian. The alert:

{alert}

Find the cause, report it once with report_cause, repair what can be repaired without touching \
what is not concerned, and end with resolve. You have {limit_min:.0f} minutes and {calls} calls."""


@dataclass(frozen=True)
class Surroundings:
    """What the tools work on."""

    runner: Runner
    """The agent's sandbox."""
    cluster: Cluster
    """The API server, as the agent."""
    nodes: Sequence[str]
    """The names of the nodes."""
    backends: Backends
    """The telemetry."""
    diagnosis: Form[Any]
    """The form of a diagnosis."""


def tools(around: Surroundings, reports: Reports) -> list[Tool[Any]]:
    """The tools; what is reported goes into `reports`."""
    return [
        kubectl.tool(around.runner),
        nodes.tool(around.runner, around.nodes),
        *telemetry.tools(around.backends),
        events.tool(around.cluster),
        changes.tool(around.cluster),
        *reporting.tools(reports, around.diagnosis),
    ]


def instructions(alert: str, limit_s: float, calls: int) -> str:
    """What an agent is told when it connects.

    Args:
        alert: the text that the on-call engineer is paged with.
        limit_s: of the turn, in seconds.
        calls: how many there are.
    """
    return INSTRUCTIONS.format(alert=alert.strip(), limit_min=limit_s / 60, calls=calls)
