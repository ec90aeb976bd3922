"""Which pods a command may have spoken to, by the addresses that it was told.

Whom a program really connects to is not recorded unless it is the login's own server. What it was
told is: pods' and Services' addresses, and Services' names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from faultyard.model.case import Case
from faultyard.model.findings.unused import shown
from faultyard.model.predicates.shots import chosen
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.model.shapes import mapping

_TOKEN: Final = re.compile(r"[\w.-]+")
_SCHEME: Final = re.compile(r"(?<![\w+.-])[\w+.-]+://")
_NUMBER: Final = re.compile(r"0[xX][\da-fA-F]+|\d+")
_NAMES: Final = "53"
"""Where names are asked for: no question of that kind does anything."""
_PARTS: Final = 4
_LONGEST: Final = 253
"""Letters of a name."""
Pods = frozenset[ObjectRef]


@dataclass(frozen=True)
class Addresses:
    """All addresses that pods have had, by themselves and by their Services."""

    case: Case

    def told(self, command: Command, namespace: str = "") -> set[ObjectRef]:
        """Return the pods whose address a command was told that may speak to anybody.

        Where a pod shows its figures, and where names are asked for, there is nobody to speak to.

        Args:
            command: the command.
            namespace: of the pod in which it ran, where names need not say it; empty: on a node.
        """
        found = set()
        text = " ".join(command.told if command.hides else ())
        for token, port in pairwise([*_TOKEN.findall(_SCHEME.sub(" ", text)), ""]):
            pods = self._named(token, namespace)
            found |= {pod for pod in pods if port not in (_NAMES, *shown(self.case, pod))}
        return found

    def _named(self, token: str, namespace: str) -> Pods:
        if len(token) > _LONGEST:
            return frozenset()
        parts = token.strip(".-").split(".")
        name = [*parts, namespace] if len(parts) == 1 and namespace else parts
        for service, space, *rest in (name[place:] for place in range(len(name) - 1)):
            if rest[:1] in ([], ["svc"]) and (space, service) in self._services:
                return self._services[space, service]
        return self._by_address.get(_dotted(parts), frozenset())

    @cached_property
    def _by_address(self) -> Mapping[str, Pods]:
        found: dict[str, set[ObjectRef]] = defaultdict(set)
        for ref, raw in _states(self.case, "Pod"):
            # In the node's own network a pod has the address of all others there.
            if not mapping(raw.get("spec")).get("hostNetwork"):
                found[str(mapping(raw.get("status")).get("podIP"))].add(ref)
        for ref, raw in _states(self.case, "Service"):
            address = str(mapping(raw.get("spec")).get("clusterIP"))
            found[address] |= self._services[ref.namespace, ref.name]
        return {address: frozenset(pods) for address, pods in found.items()}

    @cached_property
    def _services(self) -> Mapping[tuple[str, str], Pods]:
        found: dict[tuple[str, str], set[ObjectRef]] = defaultdict(set)
        pods = list(_states(self.case, "Pod"))
        for ref, raw in _states(self.case, "Service"):
            selector = mapping(mapping(raw.get("spec")).get("selector"))
            near = ((p, r) for p, r in pods if p.namespace == ref.namespace)
            found[ref.namespace, ref.name] |= {p for p, r in near if chosen(r, selector)}
        return {service: frozenset(them) for service, them in found.items()}


def _states(case: Case, kind: str) -> Iterator[tuple[ObjectRef, Mapping[str, Any]]]:
    """Yield every state of a kind's objects that the record shows."""
    for shot in case.record.snapshots.values():
        yield from shot.of_kind(kind, None).items()
    for change in case.record.watch.changes if case.record.watch else ():
        if change.ref.kind == kind:
            yield change.ref, change.raw


def _dotted(parts: list[str]) -> str:
    """Return an address as it is usually written; resolvers read others, such as one number."""
    if len(parts) > _PARTS or not all(map(_NUMBER.fullmatch, parts)):
        return ""
    numbers = [_number(part) for part in parts]
    room = 8 * (_PARTS + 1 - len(parts))
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 2**room:
        return ""
    whole = [*numbers[:-1], *numbers[-1].to_bytes(room // 8, "big")]
    return ".".join(map(str, whole))


def _number(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    octal = text[:1] == "0" and set(text) <= set("01234567")
    return int(text, 8 if octal else 10)
