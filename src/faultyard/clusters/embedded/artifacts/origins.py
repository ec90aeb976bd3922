"""Where ready-made programs come from: official releases, then this machine's PATH, else a build.

What was found is written down in the cache, one file for each release, since a command with another
PATH or another network must come to the same programs. The digest of what was taken is part of a
program's key, so the record of a trial tells a release, a program of the PATH and a build apart.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from faultyard.clusters.embedded.artifacts import downloads, path_programs, releases
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.downloads import Limits
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from faultyard.clusters.embedded.artifacts.progress import Progress, Step
from faultyard.clusters.embedded.artifacts.releases import Release
from faultyard.clusters.embedded.artifacts.schedule import Schedule, Task

EXPECTED_S = 15.0
"""How long an archive takes, in seconds: some tens of megabytes."""


class Allowed(StrEnum):
    """Which ready-made programs are taken."""

    ANY = "any"
    """Official releases by their digest, then programs of the PATH by their version."""
    RELEASE = "release"
    """Official releases alone."""
    BUILD = "build"
    """None: everything is built."""


class Kind(StrEnum):
    """What ready-made programs were taken from."""

    RELEASE = "release"
    PATH = "path"


ALLOWED = {
    Allowed.ANY: frozenset(Kind),
    Allowed.RELEASE: frozenset({Kind.RELEASE}),
    Allowed.BUILD: frozenset[Kind](),
}


@dataclass(frozen=True)
class Origin:
    """What was taken for one release."""

    kind: Kind
    digests: Mapping[str, str]
    """For a release its archive's, by its address; for the PATH each program's, by its name."""


@dataclass(frozen=True)
class Origins:
    """The choices of one cache, for one table of releases."""

    cache: Cache
    table: Sequence[Release]

    def programs(self) -> Mapping[str, Artifact]:
        """The ready-made programs that were chosen and are there, by name; others are built."""
        found: dict[str, Artifact] = {}
        for release in self.table:
            taken = self._taken(release)
            if taken:
                found |= {name: _program(release, name, taken) for name in release.programs}
        return found

    def forget(self, allowed: Allowed) -> None:
        """Drop the choices that are not allowed any more."""
        for release in self.table:
            origin = self._read(release)
            if origin and origin.kind not in ALLOWED[allowed]:
                self._file(release).unlink()

    def settle(
        self, missing: Sequence[str], allowed: Allowed, report: Progress, limits: Limits
    ) -> list[str]:
        """Look for ready-made programs in place of those that are missing.

        Args:
            missing: the names of programs that would have to be built.
            allowed: which may be taken.
            report: told how downloads go.
            limits: how long servers are waited for.

        Returns:
            What is to be told of it, one line each.
        """
        lines: list[str] = []
        wanted = [
            release
            for release in self.table
            if set(release.programs) & set(missing) and not self._taken(release)
        ]
        if Kind.RELEASE in ALLOWED[allowed]:
            lines += self._fetch([r for r in wanted if r.digest], report, limits)
        if Kind.PATH in ALLOWED[allowed]:
            lines += [line for r in wanted if not self._taken(r) for line in self._from_path(r)]
        return lines

    def _fetch(self, wanted: Sequence[Release], report: Progress, limits: Limits) -> list[str]:
        if not wanted:
            return []
        away = downloads.unreachable([release.url for release in wanted], limits.answer_s)
        lines: list[str] = []
        if away:
            reasons = "; ".join(f"{server}: {reason}" for server, reason in sorted(away.items()))
            lines.append(f"official releases are out of reach, the next best is taken ({reasons})")
        tasks = [
            self._download(release, limits, lines.append)
            for release in wanted
            if downloads.server(release.url) not in away
        ]
        report.planned([task.step for task in tasks])
        try:
            Schedule(tasks, report).run()
        finally:
            report.closed()
        return lines

    def _download(self, release: Release, limits: Limits, tell: Callable[[str], None]) -> Task:
        archive = _archive(release, limits)
        step = Step(archive.identity, archive.title, archive.lane, archive.expected_s)

        def run() -> None:
            self.cache.obtain(archive)
            self._write(release, Origin(Kind.RELEASE, {release.url: str(release.digest)}))

        def spared(error: ArtifactError) -> None:
            tell(f"{release.title}: no official release, the next best is taken: {error}")

        return Task(step, run, spared)

    def _from_path(self, release: Release) -> list[str]:
        files = path_programs.find(release)
        if not files:
            return []
        digests = {name: releases.digest_of(file) for name, file in files.items()}
        self.cache.obtain(_copies(release, digests, files))
        self._write(release, Origin(Kind.PATH, digests))
        folders = ", ".join(sorted({str(file.parent) for file in files.values()}))
        return [f"{release.title} is taken from {folders}"]

    def _taken(self, release: Release) -> Artifact | None:
        """The artifact that holds what was chosen for a release, if it is there."""
        origin = self._read(release)
        if origin is None:
            return None
        if origin.kind is Kind.PATH:
            taken = _copies(release, origin.digests, {})
        elif origin.digests == {release.url: release.digest}:
            taken = _archive(release, Limits())
        else:
            return None
        return taken if self.cache.has(taken) else None

    def _file(self, release: Release) -> Path:
        name = f"{next(iter(release.programs))}-{release.version}.json"
        return self.cache.root / "origins" / name

    def _read(self, release: Release) -> Origin | None:
        file = self._file(release)
        if not file.is_file():
            return None
        content = json.loads(file.read_text())
        return Origin(Kind(content["kind"]), content["digests"])

    def _write(self, release: Release, origin: Origin) -> None:
        file = self._file(release)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f".{file.name}.{os.getpid()}")
        temporary.write_text(json.dumps({"kind": origin.kind, "digests": dict(origin.digests)}))
        temporary.rename(file)


def _archive(release: Release, limits: Limits) -> Artifact:
    def build(build: Build) -> None:
        archive = build.scratch / "archive"
        downloads.fetch(release.url, str(release.digest), archive, limits)
        release.extract(archive, build.target)

    files = {name: program.file for name, program in release.programs.items()}
    return Artifact(
        name="release",
        title=f"official release of {release.title}",
        inputs={"digest": release.digest, "files": files},
        build=build,
        expected_s=EXPECTED_S,
    )


def _copies(release: Release, digests: Mapping[str, str], files: Mapping[str, Path]) -> Artifact:
    def build(build: Build) -> None:
        for name, file in files.items():
            shutil.copyfile(file, build.target / name)
            (build.target / name).chmod(0o755)
            if releases.digest_of(build.target / name) != digests[name]:
                raise ArtifactError(f"{file} was changed while it was copied; run set-up again")

    return Artifact("path-programs", f"{release.title} of the PATH", {"digests": digests}, build)


def _program(release: Release, name: str, taken: Artifact) -> Artifact:
    def build(build: Build) -> None:
        (build.target / name).hardlink_to(build.of(taken) / name)

    return Artifact(name, f"{name}, ready-made", {"program": name}, build, (taken,), expected_s=1)
