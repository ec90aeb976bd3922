"""Whether a network policy admits what the right one did not: by what both mean, not say.

Rules may be spelled in many ways, and a small difference may let in very many. So both policies
are asked about everybody who may come: the pods that there are, as they would be in every
namespace, strangers, whoever a rule describes though nobody is like that yet, and the addresses at
which blocks begin and end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from faultyard.model import network_ports
from faultyard.model.network_peers import (
    STRANGE,
    End,
    Peer,
    Raw,
    Selector,
    edges,
    labels_of,
    with_strangers,
)
from faultyard.model.network_ports import Ports
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import items, mapping, mappings

KIND: Final = "NetworkPolicy"
MOST_ENDS: Final = 1000
"""Entries of `from` and `to`: nobody who means well writes more into one policy."""
_ENDS: Final = {"ingress": "from", "egress": "to"}
_NAME: Final = "kubernetes.io/metadata.name"


@dataclass(frozen=True)
class Surroundings:
    """What there is around a policy."""

    namespace: str
    """The policy's own."""
    objects: Mapping[ObjectRef, Raw]
    """Pods and namespaces among them."""
    others: Sequence[Raw]
    """The policies beside it."""

    def of_kind(self, kind: str) -> dict[ObjectRef, Raw]:
        """Return the objects of a kind."""
        return {ref: raw for ref, raw in self.objects.items() if ref.kind == kind}


def opened_beside(policy: Raw, around: Surroundings) -> list[str]:
    """Return what a new policy lets through that those beside it keep out, one clause each.

    Policies add to one another: where there is none yet, a new one only keeps out.

    Args:
        policy: the new one.
        around: whom it may let in, and the others.
    """
    new = mapping(policy.get("spec"))
    if sum(_length(new, direction) for direction in _ENDS) > MOST_ENDS:
        return ["it has more rules than anybody can tell"]
    found: dict[str, None] = {}
    for direction in _ENDS:
        for spec in _kept_by(new, direction, around) if _covers(new, direction) else ():
            found |= dict.fromkeys(_gained(spec, new, direction, around))
    return list(found)


def _kept_by(new: Raw, direction: str, around: Surroundings) -> Iterator[Raw]:
    """Yield what others together let through to pods that a new policy selects, each case once."""
    chosen = Selector(new.get("podSelector"))
    others = [mapping(other.get("spec")) for other in around.others]
    guards = [(Selector(s.get("podSelector")), s) for s in others if _covers(s, direction)]
    seen = set()
    for ref, raw in around.of_kind("Pod").items():
        labels = labels_of(raw)
        if ref.namespace != around.namespace or not chosen.selects(labels):
            continue
        numbers = tuple(i for i, (selector, _) in enumerate(guards) if selector.selects(labels))
        if numbers and numbers not in seen:
            seen.add(numbers)
            rules = [rule for i in numbers for rule in mappings(guards[i][1].get(direction))]
            yield {"podSelector": new.get("podSelector"), direction: rules}


def opened(before: Raw, after: Raw, around: Surroundings) -> list[str]:
    """Return what a policy lets through that the right one does not, one clause each.

    Args:
        before: the policy as it was right.
        after: as it is at the end.
        around: whom it may let in.
    """
    old, new = mapping(before.get("spec")), mapping(after.get("spec"))
    if sum(_length(new, direction) for direction in _ENDS) > MOST_ENDS:
        return ["it has more rules than anybody can tell"]
    found = [] if _same_pods(old, new, around) else ["it selects other pods"]
    for direction in _ENDS:
        if not _covers(new, direction):
            found += [f"it no longer covers {direction}"] if _covers(old, direction) else []
        elif _covers(old, direction):
            found += _gained(old, new, direction, around)
        elif any(_covers(mapping(other.get("spec")), direction) for other in around.others):
            found += _gained({}, new, direction, around)  # it adds to what others let through
    return found


class _Rules:
    """What a policy lets through in one direction."""

    def __init__(self, spec: Raw, direction: str, numbers: Mapping[str, frozenset[int]]) -> None:
        self._rules = [
            (
                [End(end) for end in mappings(rule.get(_ENDS[direction]))],
                network_ports.parse(rule.get("ports"), numbers),
            )
            for rule in mappings(spec.get(direction))
        ]
        self.ends = [end for ends, _ in self._rules for end in ends]

    def for_peer(self, peer: Peer) -> tuple[int, ...]:
        """Return the numbers of the rules that admit a peer; one without ends admits everybody."""
        return tuple(
            number
            for number, (ends, _) in enumerate(self._rules)
            if not ends or any(end.admits(peer) for end in ends)
        )

    def ports(self, numbers: Iterable[int]) -> Ports:
        return network_ports.together(self._rules[number][1] for number in numbers)


def _gained(old: Raw, new: Raw, direction: str, around: Surroundings) -> Iterator[str]:
    numbers = _numbers(old, new, direction, around)
    right, now = _Rules(old, direction, numbers), _Rules(new, direction, numbers)
    answers: dict[tuple[tuple[int, ...], tuple[int, ...]], str | None] = {}
    told = set()
    for peer in _peers(right, now, around):
        both = right.for_peer(peer), now.for_peer(peer)
        if both not in answers:
            answers[both] = now.ports(both[1]).beyond(right.ports(both[0]))
        if answers[both] is not None and peer.said not in told:
            told.add(peer.said)
            yield f"its {direction} rules admit {peer.said} on {answers[both]}"


def _peers(right: _Rules, now: _Rules, around: Surroundings) -> Iterator[Peer]:
    """Yield everybody whom the two may treat otherwise, those who are there first."""
    pods = {ref: labels_of(raw) for ref, raw in around.of_kind("Pod").items()}
    spaces = {ref.name: labels_of(raw) for ref, raw in around.of_kind("Namespace").items()}
    spaces.setdefault(around.namespace, {_NAME: around.namespace})
    for ref, labels in pods.items():
        own = ref.namespace == around.namespace
        yield Peer(str(ref), labels, spaces.get(ref.namespace, {}), own)
    ends = [*right.ends, *now.ends]
    like = with_strangers(list(pods.values()), [e.pods for e in ends], [e.pods for e in right.ends])
    near = [end.spaces for end in ends if end.spaces is not None]
    meant = [end.spaces for end in right.ends if end.spaces is not None]
    places = [(f"in {name}", labels, name == around.namespace) for name, labels in spaces.items()]
    strange = with_strangers(list(spaces.values()), near, meant)[len(spaces) :]
    # Each namespace has its name for a label.
    places += [("in other namespaces", {_NAME: STRANGE, **more}, False) for more in strange]
    for (where, space, own), labels in product(places, like):
        yield Peer(f"pods {where}", labels, space, own)
    for edge in edges(ends):
        yield Peer(f"addresses from {edge} on", {}, {}, address=edge)


def _same_pods(old: Raw, new: Raw, around: Surroundings) -> bool:
    right, now = Selector(old.get("podSelector")), Selector(new.get("podSelector"))
    here = (r for r in around.of_kind("Pod") if r.namespace == around.namespace)
    known = [labels_of(around.objects[ref]) for ref in here]
    everybody = with_strangers(known, [right, now], [right])
    return all(right.selects(labels) == now.selects(labels) for labels in everybody)


def _numbers(
    old: Raw, new: Raw, direction: str, around: Surroundings
) -> Mapping[str, frozenset[int]]:
    """Return what ports are called at the end where they are."""
    selectors = [Selector(spec.get("podSelector")) for spec in (old, new)]
    return network_ports.names(
        raw
        for ref, raw in around.of_kind("Pod").items()
        if direction == "egress"
        or (
            ref.namespace == around.namespace
            and any(selector.selects(labels_of(raw)) for selector in selectors)
        )
    )


def _covers(spec: Raw, direction: str) -> bool:
    default = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    return direction.capitalize() in (items(spec.get("policyTypes")) or default)


def _length(spec: Raw, direction: str) -> int:
    rules = mappings(spec.get(direction))
    return sum(len(items(rule.get(_ENDS[direction]))) or 1 for rule in rules)
