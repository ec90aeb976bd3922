"""Whoever looks at metadata alone finds faults among benign changes no more often than by chance.

The real injectors and benign changes, by a pipeline that applies nothing; what the archaeologist
would see of it then. Trials in cells tell the same of what is really left in objects.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from faultyard.agents.archaeologist import ranking
from faultyard.agents.archaeologist.traces import VERSION, Trace
from faultyard.apps import applications
from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import ClusterError
from faultyard.faults import decoys
from faultyard.faults.registry import inject
from faultyard.model.guesses import Guess, tally
from faultyard.model.partials import merge
from faultyard.model.problem import Fault
from faultyard.model.refs import ObjectRef, ref_of
from faultyard.trials import problems
from faultyard.trials.problems import ProblemFolder

Raw = Mapping[str, Any]
NOW = datetime(2026, 1, 10, tzinfo=UTC)
OLD = NOW - timedelta(days=3)
SEEDS = range(1, 41)
HOTEL = applications.find("hotel")
OBJECTS = HOTEL.objects()
CHANGES = decoys.load(HOTEL)


class NoCell(ClusterError):
    """There is none: what a fault does in it is in no object."""


class Ledger(Pipeline):
    """A pipeline that notes what it would apply, a second later each, ten for a roll-out."""

    def __init__(self) -> None:
        self.application = HOTEL
        self._current = {ref_of(item): dict(item) for item in OBJECTS}
        self.clock = NOW
        self.traces = dict(untouched())

    @property
    def cell(self) -> Any:
        raise NoCell("no cell")

    def schedule(self, ref: ObjectRef) -> str:
        return str(self._current[ref]["spec"]["schedule"])

    def release(self, manifest: dict[str, Any]) -> None:
        ref = ref_of(manifest)
        before = self._current.get(ref)
        self.clock += timedelta(seconds=1)
        made = a_trace(ref, manifest)
        created = self.clock if before is None else OLD
        old = self.traces.get(ref, made)
        made = replace(made, created=created, changed=self.clock, revisions=old.revisions)
        if ref.kind == "Deployment" and before and _template(before) != _template(manifest):
            newest = (*old.revisions, version(manifest))
            made = replace(made, revisions=newest, revised=self.clock)
            self.clock += timedelta(seconds=9)
        self.traces[ref] = made
        self._current[ref] = manifest


@functools.cache
def untouched() -> Mapping[ObjectRef, Trace]:
    """Of the application before any change."""
    return {ref_of(item): a_trace(ref_of(item), item) for item in OBJECTS}


def a_trace(ref: ObjectRef, manifest: Raw) -> Trace:
    fields = frozenset(
        paths({k: v for k, v in manifest.items() if k not in ("kind", "apiVersion")})
    )
    revisions = ("before", version(manifest)) if ref.kind == "Deployment" else ()
    return Trace(str(ref), ref.kind, ref.name, OLD, OLD, ("deploy",), fields, False, revisions, OLD)


def _template(manifest: Raw) -> Any:
    return manifest["spec"]["template"]


def version(manifest: Raw) -> str:
    return str(manifest["metadata"].get("labels", {}).get(VERSION))


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """As managed fields name them: items of lists by a number of their own, or by name."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{prefix}.f:{key}"
            yield from paths(inner, f"{prefix}.f:{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            if isinstance(item, Mapping):
                key = item.get("port") or item.get("name")
                yield f"{prefix}.k:{key}"
                yield from paths(item, f"{prefix}.k:{key}")


def dug(found: ProblemFolder, seed: int) -> Guess:
    rendered, pipeline = found.problem.render(seed), Ledger()
    for step in decoys.order("hotel", CHANGES, rendered.first_faults, seed):
        if isinstance(step, Fault):
            with contextlib.suppress(NoCell):
                inject(pipeline, step)
            continue
        for partial in step.objects:
            ref = ref_of(partial)
            whole = merge(pipeline.manifest(ref), partial) if pipeline.owns(ref) else dict(partial)
            pipeline.release(whole)
    changed = [trace for trace in pipeline.traces.values() if trace.changed > NOW]
    order = ranking.ranked(changed, list(pipeline.traces.values()))
    component = str(rendered.ground_truth.component)
    among = len({trace.ref for trace in changed} | {component})
    hit = order[0][1].ref in rendered.ground_truth.components
    return Guess(among=among, right=1, hit=hit)


@functools.cache
def guesses(name: str) -> tuple[Guess, ...]:
    found = problems.find(name)
    return tuple(dug(found, seed) for seed in SEEDS)


def broken() -> list[str]:
    return [name for name in problems.names() if problems.find(name).problem.faults]


def test_over_all_problems_the_archaeologist_hits_about_as_often_as_chance() -> None:
    told = tally(guess for name in broken() for guess in guesses(name))
    assert told.hits <= 1.25 * told.expected


@pytest.mark.parametrize("name", ["hotel/quota-blocks-rollout", "hotel/webhook-blocks-pods"])
def test_a_fault_that_comes_after_all_roll_outs_is_not_given_away_by_being_the_newest(
    name: str,
) -> None:
    assert tally(guesses(name)).hits < 0.5 * len(SEEDS)


def test_where_a_fault_is_a_change_of_an_object_it_is_looked_for_among_the_others() -> None:
    """It does find some: an archaeologist who never hits would prove nothing."""
    told = tally(guesses("hotel/wrong-target-port"))
    assert 0.15 * len(SEEDS) <= told.hits <= 0.5 * len(SEEDS)
