"""releases.yaml: archives with ready-made programs, as their projects publish them."""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from faultyard.clusters.embedded.artifacts import binaries, modules
from faultyard.clusters.embedded.artifacts.errors import NotFetched
from faultyard.model import yaml_text

TABLE = Path(__file__).with_name("releases.yaml")

Digest = Annotated[str, StringConstraints(pattern=r"^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$")]
"""A digest as projects publish them, led by its kind."""


class Model(BaseModel):
    """A part of releases.yaml: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Packed(Model):
    """One program in an archive."""

    file: str
    """Its path in the archive; its last part is what it is called on a PATH."""
    asked: Sequence[str] = Field(min_length=1)
    """The arguments that make it tell its version."""
    says: str
    """What one line of that must be in full, a regular expression; {version} is as "v3.7.3",
    {number} as "3.7.3"."""

    @property
    def command(self) -> str:
        """What it is called on a PATH."""
        return PurePosixPath(self.file).name

    def tells(self, output: str, version: str) -> bool:
        """Whether what the program said of itself names exactly that version."""
        filled = self.says.replace("{version}", re.escape(version))
        line = re.compile(filled.replace("{number}", re.escape(version.removeprefix("v"))))
        return any(line.fullmatch(said.rstrip()) for said in output.splitlines())


class Release(Model):
    """One archive of a project."""

    module: str
    """The Go module of which the programs are built otherwise; its pin decides the version."""
    version: str
    """As "v3.7.3"."""
    url: str
    """The archive's address, a tar.gz."""
    published: str
    """Where the project publishes the digest."""
    digest: Digest | None
    """Of the archive; without it nothing is fetched."""
    programs: Mapping[str, Packed] = Field(min_length=1)
    """The programs, by the names that they have here."""

    @property
    def title(self) -> str:
        """For people, as "etcd v3.7.3"."""
        return f"{', '.join(self.programs)} {self.version}"

    def extract(self, archive: Path, target: Path) -> None:
        """Write the programs into a folder.

        Raises:
            NotFetched: the archive is not one, or lacks a program.
        """
        try:
            with tarfile.open(archive) as packed:
                for name, program in self.programs.items():
                    self._write(packed, program.file, target / name)
        except (tarfile.TarError, KeyError) as error:
            raise NotFetched(f"{self.url} is not as expected: {error}") from error

    def _write(self, packed: tarfile.TarFile, member: str, file: Path) -> None:
        source = packed.extractfile(member)
        if source is None:
            raise NotFetched(f"{self.url} is not as expected: {member} is no file")
        with source, file.open("wb") as target:
            copyfileobj(source, target)
        file.chmod(0o755)


def load(file: Path = TABLE) -> list[Release]:
    """The releases of a table, by default of ours."""
    entries: dict[str, object] = yaml_text.load(file.read_text())
    return [Release.model_validate(entry) for entry in entries.values()]


def fitting(root: Path, file: Path = TABLE) -> list[Release]:
    """The releases that are of the versions that a checkout pins: others are of no use to it.

    Args:
        root: the checkout.
        file: the table.
    """
    pins = (root / binaries.PLATFORM / "go.mod").read_text()
    own = {program.module: program.version for program in modules.MODULE_PROGRAMS}
    return [
        release
        for release in load(file)
        if release.version == (own.get(release.module) or binaries.pinned(release.module, pins))
    ]


def digest_of(file: Path, kind: str = "sha256") -> str:
    """A file's digest, led by its kind as in "sha256:…"."""
    with file.open("rb") as source:
        return f"{kind}:{hashlib.file_digest(source, kind).hexdigest()}"
