"""Bringing a checkout's artifacts into the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from faultyard.clusters.embedded.artifacts import releases, toolchain
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Lane
from faultyard.clusters.embedded.artifacts.binaries import PLATFORM
from faultyard.clusters.embedded.artifacts.cache import Cache, default_root
from faultyard.clusters.embedded.artifacts.catalogue import (
    REPOSITORY,
    Artifacts,
    Catalogue,
    catalogue,
    image_files,
)
from faultyard.clusters.embedded.artifacts.errors import NotBuilt
from faultyard.clusters.embedded.artifacts.origins import Origins
from faultyard.clusters.embedded.artifacts.progress import Lines, Progress, Step
from faultyard.clusters.embedded.artifacts.schedule import Schedule, Task, expected_rest
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain


def ensure(
    report: Progress | None = None, *, build: bool = True, files: Sequence[Path] | None = None
) -> Artifacts:
    """This checkout's artifacts.

    Args:
        report: told how the builds go.
        build: build what is missing; with False, missing artifacts are an error.
        files: the images.yaml files; None: the platform's and those of `apps/`.

    Raises:
        NotBuilt: with `build=False`, something is not built.
        ArtifactError: a build failed, or an images.yaml is not valid.
    """
    cache = Cache(default_root())
    compiler = toolchain.choose(cache, least_go()) if build else toolchain.chosen(cache, least_go())
    ready = Origins(cache, releases.fitting(REPOSITORY)).programs()
    wanted = catalogue(compiler, image_files() if files is None else files, ready)
    if build:
        build_missing(wanted, cache, report or Lines(Console(quiet=True)))
    cache.require(wanted.all)
    return Artifacts(wanted, cache)


def missing() -> list[Artifact]:
    """The artifacts of this checkout that are not built; nothing is chosen or fetched."""
    cache = Cache(default_root())
    try:
        compiler = toolchain.chosen(cache, least_go())
    except NotBuilt:
        # Whichever it will be: nothing can have been built without one.
        compiler = Toolchain(go="", version="")
    ready = Origins(cache, releases.fitting(REPOSITORY)).programs()
    wanted = catalogue(compiler, image_files(), ready)
    return [artifact for artifact in wanted.all if not cache.has(artifact)]


def expected_s(artifacts: Sequence[Artifact]) -> float:
    """How long building these takes on the reference machine, in seconds."""
    return expected_rest([_step(artifact, artifacts, ()) for artifact in artifacts], {}, {})


def least_go() -> str:
    """The least version of Go that this checkout's modules ask for."""
    modules = [REPOSITORY / PLATFORM / "go.mod", *REPOSITORY.glob("native/*/go.mod")]
    return max((toolchain.required_version(module) for module in modules), key=toolchain.parsed)


def build_missing(
    wanted: Catalogue,
    cache: Cache,
    report: Progress,
    before: Sequence[Task] = (),
    beside: Sequence[Task] = (),
) -> Mapping[str, float]:
    """Build the artifacts that the cache lacks; returns the seconds that each step took.

    Args:
        wanted: the artifacts.
        cache: where they go.
        report: told how it goes.
        before: tasks that everything outside the compiler's lane waits for.
        beside: tasks that nothing waits for.
    """
    cache.sweep()
    missing = [artifact for artifact in wanted.all if not cache.has(artifact)]
    first = tuple(task.step.name for task in before)
    tasks = [*before, *(_task(artifact, cache, missing, first) for artifact in missing), *beside]
    report.planned([task.step for task in tasks])
    try:
        return Schedule(tasks, report).run() if tasks else {}
    finally:
        report.closed()


def _task(
    artifact: Artifact, cache: Cache, missing: Sequence[Artifact], first: tuple[str, ...]
) -> Task:
    def run() -> None:
        cache.obtain(artifact)

    return Task(_step(artifact, missing, first), run)


def _step(artifact: Artifact, missing: Sequence[Artifact], first: tuple[str, ...]) -> Step:
    absent = {other.identity for other in missing}
    needs = tuple(need.identity for need in artifact.needs if need.identity in absent)
    return Step(
        name=artifact.identity,
        title=artifact.title,
        lane=artifact.lane,
        expected_s=artifact.expected_s,
        needs=needs if artifact.lane is Lane.GO else (*first, *needs),
    )
