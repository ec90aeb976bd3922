"""What a Deployment's strategy does while it is rolled out, as its controller reckons it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from faultyard.model.quantities import number
from faultyard.model.shapes import mapping

_DEFAULT: Final = "25%"
"""Of both bounds, as the API server fills them in."""


def surge(spec: Mapping[str, Any]) -> int:
    """Return how many pods a roll-out brings before the first old one goes.

    Args:
        spec: the Deployment's.
    """
    return 0 if _recreates(spec) else math.ceil(_bound(spec, "maxSurge"))


def left_running(spec: Mapping[str, Any]) -> int:
    """Return how many pods a roll-out leaves at least; of none at all it leaves none.

    Args:
        spec: the Deployment's.
    """
    if _recreates(spec):
        return 0
    may_lack = math.floor(_bound(spec, "maxUnavailable"))
    if not may_lack and not surge(spec):
        may_lack = 1  # or it would never begin
    return max(0, _replicas(spec) - may_lack)


def _recreates(spec: Mapping[str, Any]) -> bool:
    return mapping(spec.get("strategy")).get("type") == "Recreate"


def _bound(spec: Mapping[str, Any], name: str) -> Decimal:
    stated = mapping(mapping(spec.get("strategy")).get("rollingUpdate")).get(name, _DEFAULT)
    bound = number(stated)
    return bound * _replicas(spec) if str(stated).endswith("%") else bound


def _replicas(spec: Mapping[str, Any]) -> int:
    return int(spec.get("replicas", 1))
