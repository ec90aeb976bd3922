"""Who may be at the other end of a connection, and whom selectors and blocks mean."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from faultyard.model.shapes import items, mapping, mappings

Raw = Mapping[str, Any]
Labels = Mapping[str, str]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Block = ipaddress.IPv4Network | ipaddress.IPv6Network

STRANGE: Final = "nobody-has-this"
"""A label's value."""
_EVERYBODY: Final = ("0.0.0.0/0", "::/0")


@dataclass(frozen=True)
class Peer:
    """Somebody who may be at the other end: a pod with its namespace, or an address."""

    said: str
    pod: Labels
    namespace: Labels
    own: bool = False
    """The namespace is the policy's own."""
    address: Address | None = None


class Selector:
    """A label selector; an empty one selects everything."""

    def __init__(self, raw: object) -> None:
        labels, rules = mapping(raw).get("matchLabels"), mapping(raw).get("matchExpressions")
        self._wanted = [(k, "In", frozenset([str(v)])) for k, v in mapping(labels).items()]
        self._wanted += [
            (str(r.get("key")), str(r.get("operator")), frozenset(map(str, items(r.get("values")))))
            for r in mappings(rules)
        ]

    @property
    def keys(self) -> set[str]:
        """All labels that it asks for."""
        return {key for key, _, _ in self._wanted}

    @property
    def values(self) -> frozenset[str]:
        """All values that it names."""
        return frozenset().union(*(values for _, _, values in self._wanted))

    def selects(self, labels: Labels) -> bool:
        """Tell whether it selects whoever has these labels."""
        return all(_holds(labels.get(key), how, values) for key, how, values in self._wanted)

    def examples(self, known: Sequence[Labels], named: frozenset[str]) -> Iterator[Labels]:
        """Yield labels that it selects and that nobody has, nor these and more.

        Args:
            known: the labels of those who are there.
            named: values that the right policy names; all other strange ones are alike to it.
        """
        first = {
            key: min(values, default=STRANGE) if how == "In" else STRANGE
            for key, how, values in self._wanted
            if how in ("In", "Exists")
        }
        for key, how, values in self._wanted:
            had = {labels.get(key) for labels in known}
            strange = sorted(values - named - had)[:1]
            for value in [*sorted(values & named), *strange] if how == "In" else ():
                labels = first | {key: value}
                if not any(self.selects(o) and labels.items() <= o.items() for o in known):
                    yield labels
        if not any(self.selects(other) for other in known):
            yield first


class End:
    """One entry of `from` or `to`."""

    def __init__(self, raw: Raw) -> None:
        block, spaces = raw.get("ipBlock"), raw.get("namespaceSelector")
        self.is_block = block is not None
        self.blocks = list(_blocks([mapping(block).get("cidr")]))
        self.excepted = list(_blocks(items(mapping(block).get("except"))))
        self.pods = Selector(raw.get("podSelector"))
        self.spaces = None if spaces is None else Selector(spaces)

    def admits(self, peer: Peer) -> bool:
        """Tell whether it means somebody."""
        if peer.address is not None:
            inside = any(peer.address in block for block in self.blocks)
            return inside and not any(peer.address in block for block in self.excepted)
        if self.is_block:
            return False
        near = peer.own if self.spaces is None else self.spaces.selects(peer.namespace)
        return near and self.pods.selects(peer.pod)


def with_strangers(
    known: list[Labels], selectors: Sequence[Selector], right: Sequence[Selector]
) -> list[Labels]:
    """Return the labels of those who are there, then of those who may come."""
    named = frozenset().union(*(selector.values for selector in right))
    examples = [e for selector in selectors for e in selector.examples(known, named)]
    keys = {key for selector in selectors for key in selector.keys}
    return [*known, {}, dict.fromkeys(keys, STRANGE), *examples]


def labels_of(raw: Raw) -> Labels:
    """Return an object's labels."""
    labels = mapping(mapping(raw.get("metadata")).get("labels"))
    return {str(key): str(value) for key, value in labels.items()}


def edges(ends: Iterable[End]) -> list[Address]:
    """Return the addresses from which on other blocks mean somebody, in order."""
    own = [block for end in ends for block in (*end.blocks, *end.excepted)]
    found = {edge for block in [*own, *_blocks(_EVERYBODY)] for edge in _edges(block)}
    return sorted(found, key=lambda edge: (edge.version, int(edge)))


def _holds(value: str | None, how: str, values: frozenset[str]) -> bool:
    if how in ("Exists", "DoesNotExist"):
        return (value is not None) == (how == "Exists")
    return (value in values) == (how == "In")


def _blocks(texts: Iterable[object]) -> Iterator[Block]:
    """Yield the blocks that can be read; the API server stores no others."""
    for text in texts:
        try:
            yield ipaddress.ip_network(str(text), strict=False)
        except ValueError:
            continue


def _edges(block: Block) -> list[Address]:
    """Return where a block begins, and what comes after it."""
    last = block.broadcast_address
    return [block.network_address, *([last + 1] if int(last) + 1 < 2**block.max_prefixlen else [])]
