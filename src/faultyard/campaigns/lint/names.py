"""telltale-name: nothing that an agent can look at is called after the exercise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from faultyard.apps.applications import ROOT, ApplicationFolder
from faultyard.campaigns.lint.rule import Complaint, Subject, rule, shown
from faultyard.clusters.embedded import addons
from faultyard.faults import decoys
from faultyard.model import yaml_text
from faultyard.model.answers import texts
from faultyard.model.shapes import mapping, mappings
from faultyard.telemetry import rules, site

TELLTALE = frozenset(
    "faultyard fault faults faulty chaos inject injected injection injector bench benchmark broken "
    "break breakage decoy decoys sabotage sabotaged misconfigured misconfiguration nonexistent "
    "wrong bad buggy culprit litmus exercise challenge oracle groundtruth mitigation "
    "experiment simulated".split()
)
"""Words that no company has in its production, or that say what is wrong."""
_LOUD = ("faultyard", "chaos", "sregym", "aiopslab", "does-not-exist", "ground-truth")
"""They tell inside of another word too."""
PLATFORM = ROOT / "native" / "platform" / "images.yaml"
_HINT = "Call it what a company would call it in production."


@rule("telltale-name")
def names(subject: Subject) -> Iterable[Complaint]:
    """No name or text in cluster, images, changes or what the fault sets says what is going on."""
    for rendered in subject.rendered.values():
        for fault in rendered.faults:
            yield from _complaints(subject.file, fault.with_, f"the fault {fault.kind} sets")
        for noise in rendered.noise:
            yield from _complaints(subject.file, noise.with_, f"the noise {noise.kind} says")
    if subject.application is not None:
        yield from _of_application(subject.application)
        yield from _of_cells(subject.application)


def _of_application(application: ApplicationFolder) -> Iterator[Complaint]:
    for file in sorted(application.manifests.glob("*.yaml")):
        yield from _of_file(file, "a manifest has")
    journeys = shown(application.journeys_file)
    yield from _complaints(journeys, list(application.journeys), "a journey is called")
    yield from _of_images(application.folder / application.description.images)
    changes = application.folder / decoys.FILE
    yield from _of_file(changes, "a change has")


def _of_cells(application: ApplicationFolder) -> Iterator[Complaint]:
    """What every cell has beside the application."""
    for file in (*sorted(addons.MANIFESTS.glob("*.yaml")), site.ACCESS):
        yield from _of_file(file, "a manifest of every cell has")
    yield from _of_images(PLATFORM)
    alerts = rules.document(application.description)
    yield from _complaints(shown(Path(rules.__file__)), alerts, "an alert rule has")


def _of_images(file: Path) -> Iterator[Complaint]:
    yield from _of_file(file, "an image has", _visible)


def _of_file(
    file: Path, what: str, seen: Callable[[list[Any]], list[Any]] = list
) -> Iterable[Complaint]:
    """Return what tells in a file's documents; comments are in no cluster."""
    return _of_text(shown(file), file.read_text(encoding="utf-8"), what, seen)


@lru_cache(maxsize=256)  # problems have one application and one cell
def _of_text(
    place: str, text: str, what: str, seen: Callable[[list[Any]], list[Any]]
) -> tuple[Complaint, ...]:
    return tuple(_complaints(place, seen(yaml_text.load_all(text)), what))


def _visible(documents: list[Any]) -> list[Any]:
    """What of images is seen in a cluster: their names and tags, and the files in them."""
    seen: list[Any] = []
    for document in documents:
        for image in mappings(mapping(document).get("images")):
            seen += [image.get("repository"), list(mapping(image.get("tags")))]
            seen += [image.get("entrypoint"), image.get("user")]
        layers = mapping(mapping(document).get("layers"))
        seen += [mapping(layer).get("target") for layer in layers.values()]
    return seen


def _complaints(place: str, values: Any, what: str) -> Iterator[Complaint]:
    for text in dict.fromkeys(texts(values)):
        word = telltale(text)
        if word:
            message = f"{what} {text[:80]!r}, in which {word!r} tells"
            yield Complaint("telltale-name", place, message, _HINT)


def telltale(text: str) -> str:
    """The word in a text that tells, or nothing: words are split at case, digits and marks."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)
    for part in parts:
        if part.lower() in TELLTALE:
            return str(part)
    return next((loud for loud in _LOUD if loud in text.lower()), "")
