"""Normal form and differences over the objects of a real cluster."""

from __future__ import annotations

import copy
import functools
import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from faultyard.model.diff import compare, compare_object
from faultyard.model.fields import flatten
from faultyard.model.normal import NormalObject, is_derived, normal_object, normalise
from faultyard.model.refs import ObjectRef
from golden.archive import record_of

RECORD = "job-made-anew"
QUICK = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
# What the order of has a meaning, or none of whose members is a natural key.
ORDERED = {"args", "command", "initContainers", "from", "to", "ingress", "egress", "rules",
           "webhooks", "matchExpressions", "nodeSelectorTerms", "tolerations"}  # fmt: skip


@functools.cache
def objects() -> dict[ObjectRef, Any]:
    """Somebody's decisions, as the snapshot has them."""
    shot = record_of(RECORD).snapshots["before"]
    return {ref: raw for ref, raw in shot.objects.items() if not is_derived(ref, raw)}


@functools.cache
def state() -> dict[ObjectRef, NormalObject]:
    return normalise(record_of(RECORD).snapshots["before"])


def shuffled(value: Any, dice: random.Random, name: str = "") -> Any:
    """The same object, written down in another order."""
    if isinstance(value, dict):
        keys = list(value)
        dice.shuffle(keys)
        return {key: shuffled(value[key], dice, key) for key in keys}
    if isinstance(value, list):
        items = [shuffled(item, dice) for item in value]
        named = all(isinstance(item, dict) and "name" in item for item in items)
        if named and name not in ORDERED:
            dice.shuffle(items)
        return items
    return value


def leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all that is no mapping and no list."""
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key], (*place, key))]
    if isinstance(value, list):
        return [leaf for key, item in enumerate(value) for leaf in leaves(item, (*place, key))]
    return [place]


def put(raw: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Write a value there; returns what was there before."""
    for key in place[:-1]:
        raw = raw[key]
    before, raw[place[-1]] = raw[place[-1]], value
    return before


def test_there_are_enough_objects_to_tell() -> None:
    assert len(objects()) > 150
    assert objects().keys() == state().keys()


@QUICK
@given(st.integers(0, 10**6))
def test_the_order_in_which_a_cluster_is_written_down_makes_no_difference(seed: int) -> None:
    dice = random.Random(seed)
    some = dice.sample(sorted(objects()), 40)
    written = {ref: normal_object(ref, shuffled(objects()[ref], dice)) for ref in some}
    assert compare({ref: state()[ref] for ref in some}, written) == []


@QUICK
@given(st.integers(0, 10**6), st.one_of(st.text(max_size=5), st.integers(), st.booleans()))
def test_what_is_applied_and_reverted_is_no_difference(seed: int, value: Any) -> None:
    dice = random.Random(seed)
    ref = dice.choice(sorted(objects()))
    raw = copy.deepcopy(objects()[ref])
    place = dice.choice(leaves(raw))
    before = put(raw, place, value)
    applied = compare_object(ref, state()[ref], normal_object(ref, raw))
    put(raw, place, before)
    assert compare_object(ref, state()[ref], normal_object(ref, raw)) is None
    if type(before) is not type(value) or before != value:
        touched = flatten(objects()[ref]).keys() & state()[ref].fields.keys()
        plain = tuple(map(str, place))
        assert applied is not None or plain not in touched


@QUICK
@given(st.integers(0, 10**6))
def test_an_object_taken_away_and_put_back_is_no_difference_but_for_its_uid(seed: int) -> None:
    dice = random.Random(seed)
    gone = dice.sample(sorted(objects()), 3)
    without = {ref: one for ref, one in state().items() if ref not in gone}
    assert [change.kind for change in compare(state(), without)] == ["removed"] * 3
    back = without | {ref: state()[ref] for ref in gone}
    assert compare(state(), back) == []
    anew = without | {ref: NormalObject("another", state()[ref].fields) for ref in gone}
    assert [change.kind for change in compare(state(), anew)] == ["recreated"] * 3
