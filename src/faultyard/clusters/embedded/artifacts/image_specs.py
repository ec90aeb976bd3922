"""images.yaml: which images there are and what they are made of. The same for every application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from faultyard.clusters.embedded.artifacts.errors import BadImages
from faultyard.model import yaml_text


class Model(BaseModel):
    """A part of images.yaml: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DebianRoot(Model):
    """A minimal Debian with packages installed: the lowest layer of an image."""

    kind: Literal["debian-root"]
    packages: list[str] = []
    """Installed beside what every Debian has."""


class DebianPackages(Model):
    """Packages unpacked over the `debian-root` layer of the same image."""

    kind: Literal["debian-packages"]
    packages: list[str] = Field(min_length=1)
    """Unpacked with what they depend on and the root layer lacks; no maintainer script runs."""


class GoRelease(Model):
    """One release of a Go program: the same source, built another way."""

    tags: list[str] = []
    """Go build tags."""
    ldflags: str = ""
    """Linker flags, beside those that strip the binary."""


class GoProgram(Model):
    """A Go program of this repository."""

    kind: Literal["go"]
    module: Path
    """The module's folder, relative to the repository."""
    package: str
    """The package to build, as "./hotel/cmd/hotel"."""
    target: Path
    """Where it lies in the image."""
    releases: dict[str, GoRelease] = Field(default_factory=lambda: {"": GoRelease()})
    """By the name that an image's tags use."""


class Files(Model):
    """Files as they are."""

    kind: Literal["files"]
    source: Path
    """A file or folder, relative to images.yaml."""
    target: Path
    """Where it lies in the image."""


class Binary(Model):
    """A program that set-up builds anyway."""

    kind: Literal["binary"]
    name: str
    """Its name in the cache, as "coredns"."""
    target: Path
    """Where it lies in the image."""


Layer = Annotated[
    DebianRoot | DebianPackages | GoProgram | Files | Binary, Field(discriminator="kind")
]


class Tag(Model):
    """One version of an image."""

    release: str = ""
    """Which release of its Go programs it has; empty where they have only one."""


class ImageSpec(Model):
    """One repository in the registry."""

    repository: str = Field(pattern=r"^[a-z0-9]+([._/-][a-z0-9]+)*$")
    """Its name, as "hotel/frontend"."""
    tags: dict[str, Tag] = Field(min_length=1)
    """Its versions, oldest first."""
    layers: list[str] = Field(min_length=1)
    """Layer names, lowest first."""
    entrypoint: list[str] = []
    """Program and first arguments; none: the command is the program."""
    command: list[str] = []
    """Default arguments."""
    env: dict[str, str] = {}
    """Environment variables beside PATH."""
    user: str = ""
    """The user it runs as; empty: root."""


class ImageSet(Model):
    """One images.yaml."""

    images: list[ImageSpec]
    """The repositories."""
    layers: dict[str, Layer]
    """What the images are made of, by name."""

    @model_validator(mode="after")
    def _layers_exist(self) -> ImageSet:
        for image in self.images:
            for name in image.layers:
                if name not in self.layers:
                    raise ValueError(f"image {image.repository}: there is no layer {name!r}")
            self._check_order(image)
            self._check_releases(image)
        return self

    def _check_order(self, image: ImageSpec) -> None:
        kinds = [self.layers[name].kind for name in image.layers]
        if "debian-root" in kinds[1:]:
            raise ValueError(f"image {image.repository}: a debian-root layer must be the lowest")
        if "debian-packages" in kinds and kinds[0] != "debian-root":
            raise ValueError(f"image {image.repository}: debian-packages need a debian-root below")

    def _check_releases(self, image: ImageSpec) -> None:
        for name in image.layers:
            layer = self.layers[name]
            if isinstance(layer, GoProgram):
                for tag, value in image.tags.items():
                    if value.release not in layer.releases:
                        raise ValueError(
                            f"image {image.repository}:{tag}: layer {name} has no release "
                            f"{value.release!r}; it has {', '.join(map(repr, layer.releases))}"
                        )


def load(file: Path) -> ImageSet:
    """Read one images.yaml.

    Raises:
        BadImages: it is not valid; the message names the file and the place.
    """
    try:
        return ImageSet.model_validate(yaml_text.load(file.read_text()))
    except (ValidationError, yaml.YAMLError) as error:
        raise BadImages(f"{file}: {error}") from error
