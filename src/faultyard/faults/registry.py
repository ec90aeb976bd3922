"""All kinds of faults, by name; a new one is a function with `@fault`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import Refused
from faultyard.faults.kinds import Kinds
from faultyard.model.known_good import DeclaredChange
from faultyard.model.problem import Fault

Inject = Callable[[Pipeline, Mapping[str, Any]], list[DeclaredChange]]
"""Injects; returns every field that it changed and nothing else."""

_KINDS: Kinds[Inject] = Kinds("fault")
_LAST: set[str] = set()
_IN_OBJECTS: set[str] = set()


def fault(
    kind: str, *, ends_roll_outs: bool = False, in_objects: bool = False
) -> Callable[[Inject], Inject]:
    """Register an injector under the name that problems use.

    Args:
        kind: the name.
        ends_roll_outs: with it a roll-out may never end, or would take it back, so it comes after
            all roll-outs.
        in_objects: objects tell when it came, so that coming after others would give it away.
    """
    if ends_roll_outs:
        _LAST.add(kind)
    if in_objects:
        _IN_OBJECTS.add(kind)
    return _KINDS.register(kind)


def comes_last(described: Fault) -> bool:
    """Whether a fault has to be injected after every roll-out."""
    return described.kind in _LAST


def is_dated(described: Fault) -> bool:
    """Whether objects tell when a fault came that has to come after every roll-out."""
    return described.kind in _LAST & _IN_OBJECTS


def kinds() -> frozenset[str]:
    """The names of all kinds."""
    return _KINDS.names


def defined_in(kind: str) -> str:
    """The name of the module that injects a kind of fault.

    Raises:
        Refused: there is no such kind.
    """
    return _KINDS.find(kind).__module__


def inject(pipeline: Pipeline, described: Fault) -> list[DeclaredChange]:
    """Inject a fault.

    Raises:
        Refused: there is no such kind, or a parameter is missing or unknown.
        ClusterError: the cluster refused the change.
    """
    return _KINDS.find(described.kind)(pipeline, described.with_)


def parameters(given: Mapping[str, Any], *names: str) -> list[Any]:
    """The values of exactly these parameters.

    Raises:
        Refused: one is missing, or there is another one.
    """
    if set(given) != set(names):
        raise Refused(f"there are the parameters {', '.join(given)}; it takes {', '.join(names)}")
    return [given[name] for name in names]
