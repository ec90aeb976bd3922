"""The cache: finished artifacts in folders named by their key.

Nothing half-done is ever used: an artifact is built beside its place and moved there in one rename.
A lock per artifact, which the kernel releases when its holder dies, keeps two processes from
building the same one; whoever comes after a killed build throws its rest away and starts anew.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EDQUOT, ENOSPC
from pathlib import Path

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.errors import BuildFailed, DiskFull, NotBuilt

INPUTS = "inputs.json"
NO_SPACE = "No space left on device"


def default_root() -> Path:
    """The cache's folder: $FAULTYARD_CACHE, or the default."""
    return Path(os.environ.get("FAULTYARD_CACHE") or "/var/cache/faultyard")


@dataclass(frozen=True)
class Cache:
    """Finished artifacts and the compiler's caches under one folder."""

    root: Path

    def folder(self, artifact: Artifact) -> Path:
        """Where the artifact lies once it is finished."""
        return self.root / "artifacts" / artifact.name / artifact.key

    def has(self, artifact: Artifact) -> bool:
        """Whether the artifact is finished."""
        return self.folder(artifact).is_dir()

    def require(self, artifacts: Sequence[Artifact]) -> None:
        """Check that all are finished.

        Raises:
            NotBuilt: some are not.
        """
        missing = [artifact.title for artifact in artifacts if not self.has(artifact)]
        if missing:
            raise NotBuilt(missing)

    def obtain(self, artifact: Artifact) -> Path:
        """The artifact's folder; built now if it is not finished. What it needs must be finished.

        Raises:
            DiskFull: there was no room for it.
            ArtifactError: its build failed.
        """
        if not self.has(artifact):
            with self._locked(artifact):
                if not self.has(artifact):
                    self._build(artifact)
        return self.folder(artifact)

    def sweep(self) -> None:
        """Remove what killed builds left, unless somebody is at work on it."""
        for rest in self._children("building"):
            with self._lock(rest.name, wait=False) as free:
                if free:
                    _remove(rest)

    def prune(self, current: Sequence[Artifact], unused_for_s: float) -> None:
        """Remove artifacts that are not current and that nobody used for that many seconds."""
        keep = {self.folder(artifact) for artifact in current}
        for folder in keep:
            if folder.is_dir():
                os.utime(folder)
        for kind in self._children("artifacts"):
            for folder in kind.iterdir():
                age_s = time.time() - folder.stat().st_mtime
                if folder not in keep and age_s > unused_for_s:
                    self._discard(folder)

    def _build(self, artifact: Artifact) -> None:
        work = self.root / "building" / _label(artifact)
        log = self.root / "logs" / f"{_label(artifact)}.log"
        try:
            _remove(work)
            (work / "target").mkdir(parents=True)
            (work / "scratch").mkdir()
            log.parent.mkdir(parents=True, exist_ok=True)
            log.unlink(missing_ok=True)
            needs = {need.identity: self.folder(need) for need in artifact.needs}
            artifact.build(Build(work / "target", work / "scratch", needs, self.root, log))
            _write_inputs(artifact, work / "target" / INPUTS)
            self._publish(work / "target", self.folder(artifact))
        except (OSError, BuildFailed) as error:
            if _is_disk_full(error):
                raise DiskFull(self.root, shutil.disk_usage(self.root).free) from error
            raise
        finally:
            _remove(work)

    def _publish(self, built: Path, place: Path) -> None:
        # What the rename makes visible must be on the disk, or a power cut leaves empty files
        # under a name that says finished.
        subprocess.run(["sync", "--file-system", str(built)], check=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        built.rename(place)

    def _discard(self, folder: Path) -> None:
        # A rename first: a removal that is cut off must not leave half an artifact in its place.
        with self._lock(f"{folder.parent.name}-{folder.name}", wait=False) as free:
            if free:
                trash = self.root / "building" / f"{folder.parent.name}-{folder.name}"
                trash.parent.mkdir(exist_ok=True)
                _remove(trash)
                folder.rename(trash)
                _remove(trash)

    @contextmanager
    def _locked(self, artifact: Artifact) -> Iterator[None]:
        with self._lock(_label(artifact), wait=True):
            yield

    @contextmanager
    def _lock(self, label: str, *, wait: bool) -> Iterator[bool]:
        """Hold the lock of one artifact; yields False if it is taken and not waited for."""
        locks = self.root / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with (locks / f"{label}.lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
            else:
                yield True

    def _children(self, name: str) -> list[Path]:
        folder = self.root / name
        return sorted(folder.iterdir()) if folder.is_dir() else []


def _label(artifact: Artifact) -> str:
    return f"{artifact.name}-{artifact.key}"


def _write_inputs(artifact: Artifact, file: Path) -> None:
    needs: Mapping[str, str] = {need.title: need.identity for need in artifact.needs}
    content = {"title": artifact.title, "inputs": dict(artifact.inputs), "needs": needs}
    file.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")


def _remove(folder: Path) -> None:
    # rm rather than shutil: it never follows into another file system, should a mount be left.
    if folder.exists():
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=True)


def _is_disk_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in (ENOSPC, EDQUOT)
    return NO_SPACE in str(error)
