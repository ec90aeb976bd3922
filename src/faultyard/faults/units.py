"""Faults of a node's own services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange


@fault("unit_stopped", ends_roll_outs=True)
def unit_stopped(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A systemd unit of a node is stopped; nothing starts it again before the next boot.

    It is stopped from outside the node's logins, so that no session, history or sudo log tells
    of it: the journal has what systemd says when anybody stops it.

    Args:
        pipeline: of an application in the cell.
        given: `node`, `unit`.

    Returns:
        Nothing: what becomes of the node and its pods is the controllers' conclusion.
    """
    node, unit = parameters(given, "node", "unit")
    pipeline.cell.node(str(node)).run(["systemctl", "stop", str(unit)])
    return []
