"""Ports of a network policy's rules, as ranges that can be compared."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from faultyard.model.shapes import mapping, mappings

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_ALL: Final = (1, 65535)
Range = tuple[int, int]


@dataclass(frozen=True)
class Ports:
    """What is let through: ranges by protocol, in order, no two of which touch."""

    ranges: Mapping[str, tuple[Range, ...]]
    names: frozenset[tuple[str, str]]
    """Names with their protocol that no pod has for a port so far."""

    def beyond(self, other: Ports) -> str | None:
        """Return a port that another one does not let through; None: there is none."""
        for protocol, ranges in self.ranges.items():
            others = other.ranges.get(protocol, ())
            for first, last in ranges:
                at = bisect_right(others, (first, _ALL[1])) - 1
                if at < 0 or others[at][1] < last:
                    beyond = max(first, others[at][1] + 1) if at >= 0 else first
                    return f"{protocol} port {beyond}"
        for protocol, name in sorted(self.names - other.names):
            if _ALL not in other.ranges.get(protocol, ()):
                return f"{protocol} port {name}"
        return None


def parse(raw: object, numbers: Mapping[str, frozenset[int]]) -> Ports:
    """Read a rule's ports; none are all.

    Args:
        raw: as the rule has them.
        numbers: what pods' ports are called.
    """
    ranges: dict[str, list[Range]] = defaultdict(list)
    names = set()
    for entry in mappings(raw):
        protocol = str(entry.get("protocol") or "TCP")
        port, end = entry.get("port"), entry.get("endPort")
        if isinstance(port, int):
            ranges[protocol].append((port, end if isinstance(end, int) else port))
        elif port is None:
            ranges[protocol].append(_ALL)
        elif str(port) in numbers:
            ranges[protocol] += [(number, number) for number in numbers[str(port)]]
        else:
            names.add((protocol, str(port)))
    if not raw:
        ranges |= {protocol: [_ALL] for protocol in _PROTOCOLS}
    return Ports({p: _merged(found) for p, found in ranges.items()}, frozenset(names))


def together(ports: Iterable[Ports]) -> Ports:
    """Return what at least one of several lets through."""
    ranges: dict[str, list[Range]] = defaultdict(list)
    names: frozenset[tuple[str, str]] = frozenset()
    for one in ports:
        names |= one.names
        for protocol, found in one.ranges.items():
            ranges[protocol] += found
    return Ports({p: _merged(found) for p, found in ranges.items()}, names)


def names(pods: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[int]]:
    """Return the numbers of pods' ports by their names."""
    found: dict[str, set[int]] = defaultdict(set)
    for pod in pods:
        for container in mappings(mapping(pod.get("spec")).get("containers")):
            for port in mappings(container.get("ports")):
                name, number = port.get("name"), port.get("containerPort")
                if isinstance(name, str) and isinstance(number, int):
                    found[name].add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return tuple(merged)
