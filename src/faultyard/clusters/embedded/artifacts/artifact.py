"""Artifacts: what set-up builds, each known by a key made of everything that decides its content.

An artifact with the same key is the same artifact, so a cached one is used as it is; one changed
input file, version or parameter, its own or of an artifact it needs, gives another key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

KEY_LENGTH = 20
IGNORED_SUFFIXES = ("_test.go", ".md")


class Lane(StrEnum):
    """What an artifact's build uses up: builds of one lane run one after the other."""

    GO = "go"
    """The Go compiler, which uses every core by itself."""
    OTHER = "other"
    """Mostly the network and the disk."""


@dataclass(frozen=True)
class Build:
    """What an artifact's build function is given."""

    target: Path
    """An empty folder: what is in it at the end becomes the artifact."""
    scratch: Path
    """An empty folder that is thrown away."""
    needs: Mapping[str, Path]
    """The folders of the artifacts that were asked for, by their identity."""
    cache: Path
    """The cache's root, for the compiler's own caches."""
    log: Path
    """Where the programs that are run write."""

    def of(self, artifact: Artifact) -> Path:
        """The folder of a needed artifact."""
        return self.needs[artifact.identity]


@dataclass(frozen=True, eq=False)
class Artifact:
    """Something to build once."""

    name: str
    """Its folder in the cache; artifacts of one kind may share it."""
    title: str
    """What it is, for people."""
    inputs: Mapping[str, object]
    """Everything beside `needs` that decides its content, as JSON values."""
    build: Callable[[Build], None]
    needs: tuple[Artifact, ...] = ()
    lane: Lane = Lane.OTHER
    expected_s: float = field(default=5.0)
    """How long the build takes on the reference machine, in seconds."""

    @cached_property
    def key(self) -> str:
        """The hash of name, inputs and the needed artifacts' keys."""
        content = {
            "name": self.name,
            "inputs": dict(self.inputs),
            "needs": sorted(need.identity for need in self.needs),
        }
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]

    @property
    def identity(self) -> str:
        """Name and key: what the cache files it under."""
        return f"{self.name}/{self.key}"


def in_order(wanted: Iterable[Artifact]) -> list[Artifact]:
    """The artifacts and all they need, each once, what is needed first."""
    found: dict[str, Artifact] = {}

    def visit(artifact: Artifact) -> None:
        if artifact.identity in found:
            return
        for need in artifact.needs:
            visit(need)
        found[artifact.identity] = artifact

    for artifact in wanted:
        visit(artifact)
    return list(found.values())


def hash_of_files(root: Path, paths: Iterable[Path]) -> str:
    """The hash of files: names below `root`, modes, contents; folders count with all in them.

    Tests and notes are left out: they do not end up in what is built.
    """
    digest = hashlib.sha256()
    for file in sorted(set(_files(paths))):
        if file.name.endswith(IGNORED_SUFFIXES):
            continue
        executable = bool(file.stat().st_mode & 0o100)
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.relative_to(root)}\0{executable}\0{content}\n".encode())
    return digest.hexdigest()


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (file for file in path.rglob("*") if file.is_file())
        else:
            yield path
