"""Decoys: benign recent changes by other teams, among which every fault is injected.

They come from the application's `changes.yaml` and the seed alone, by the same pipeline in the
same minutes, so that "the newest change" is not the answer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from faultyard.apps.applications import ApplicationFolder
from faultyard.apps.deployment import Pipeline
from faultyard.clusters import workloads
from faultyard.clusters.errors import Refused
from faultyard.faults.registry import comes_last, inject, is_dated
from faultyard.model import yaml_text
from faultyard.model.known_good import DeclaredChange
from faultyard.model.partials import changed_fields, merge
from faultyard.model.problem import Fault
from faultyard.model.refs import ref_of

NUMBER = 3
FILE = "changes.yaml"
NEWEST = 0.2
"""How often a fault that comes after roll-outs is the newest change though it need not be: with
the trials in which it has to be, as often as one of four changes is."""


@dataclass(frozen=True)
class Change:
    """A benign change: partial manifests, merged into the application's own, or whole new ones."""

    id: str
    title: str
    objects: Sequence[Mapping[str, Any]]


def load(application: ApplicationFolder) -> list[Change]:
    """The application's benign changes.

    Raises:
        Refused: the file is missing or not as it should be.
    """
    file = application.folder / FILE
    try:
        listed = yaml_text.load(file.read_text())["changes"]
        return [Change(str(c["id"]), str(c["title"]), list(c["objects"])) for c in listed]
    except (FileNotFoundError, KeyError, TypeError, yaml.YAMLError) as error:
        what = "a list `changes` of entries with id, title and objects"
        raise Refused(f"{file} is not {what}: {error!r}") from error


def inject_among(pipeline: Pipeline, faults: Sequence[Fault], seed: int) -> list[DeclaredChange]:
    """Inject faults and decoys, in an order that the seed draws, and wait for the roll-outs.

    Which decoys there are depends on application and seed alone, not on the problem.

    Returns:
        Every field that was changed.
    """
    declared: list[DeclaredChange] = []
    name = pipeline.application.description.name
    for step in order(name, load(pipeline.application), faults, seed):
        if isinstance(step, Fault):
            declared += inject(pipeline, step)
        else:
            declared += apply(pipeline, step)
    return declared


def apply(pipeline: Pipeline, change: Change) -> list[DeclaredChange]:
    """Make a benign change, and wait for its roll-outs.

    Returns:
        Every field that it changes.
    """
    return [_apply(pipeline, partial) for partial in change.objects]


def order(
    application: str, changes: Sequence[Change], faults: Sequence[Fault], seed: int
) -> list[Change | Fault]:
    """The seed's decoys with the faults among them, in the order in which they are made.

    Which is the newest must not tell a fault: even one with which roll-outs no longer end comes
    after those changes alone that roll something out, and after the faults before it.

    Args:
        application: its name.
        changes: all its benign changes.
        faults: where the seed draws, as far as that goes.
        seed: the trial's.
    """
    draw = random.Random(f"decoys:{application}:{seed}")
    steps: list[Change | Fault] = list(draw.sample(changes, min(NUMBER, len(changes))))
    if any(map(comes_last, faults)):
        steps.sort(key=lambda step: not _rolls_out(step))
    for fault in faults:
        waited = [index for index, step in enumerate(steps, 1) if _waits(step)]
        ending = [i for i, step in enumerate(steps) if isinstance(step, Fault) and comes_last(step)]
        low = max(waited, default=0) if comes_last(fault) else 0
        high = len(steps) if comes_last(fault) else min(ending, default=len(steps))
        place = _hidden if is_dated(fault) else _anywhere
        steps.insert(place(draw, low, high), fault)
    return steps


def _anywhere(draw: random.Random, low: int, high: int) -> int:
    return draw.randrange(low, high + 1)


def _hidden(draw: random.Random, low: int, high: int) -> int:
    """Not drawn evenly: between few places the last one would be drawn too often."""
    if low == high or draw.random() < NEWEST:
        return high
    return draw.randrange(low, high)


def _rolls_out(step: Change | Fault) -> bool:
    """Whether a benign change waits for pods."""
    return isinstance(step, Change) and any(o.get("kind") in workloads.PATHS for o in step.objects)


def _waits(step: Change | Fault) -> bool:
    """Whether a fault with which roll-outs no longer end must come after it."""
    return isinstance(step, Fault) or _rolls_out(step)


def _apply(pipeline: Pipeline, partial: Mapping[str, Any]) -> DeclaredChange:
    ref = ref_of(partial)
    fields = ["*"]
    manifest = dict(partial)
    if pipeline.owns(ref):
        fields = sorted(set(changed_fields(partial)))
        manifest = merge(pipeline.manifest(ref), partial)
    pipeline.release(manifest)
    return DeclaredChange(object=str(ref), fields=fields, by="decoy")
