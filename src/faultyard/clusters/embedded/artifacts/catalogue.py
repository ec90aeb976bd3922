"""Everything that set-up builds for this checkout, and where to find it afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.artifacts import (
    binaries,
    debian_programs,
    image_specs,
    layers,
    modules,
    node_roots,
    registry_stores,
)
from faultyard.clusters.embedded.artifacts.artifact import Artifact, in_order
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.errors import ArtifactError, BadImages
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

REPOSITORY = Path(__file__).resolve().parents[5]


def image_files(root: Path = REPOSITORY) -> list[Path]:
    """Every images.yaml of a checkout: the platform's, then the applications'."""
    return [root / binaries.PLATFORM / "images.yaml", *sorted(root.glob("apps/*/images.yaml"))]


@dataclass(frozen=True)
class Catalogue:
    """The artifacts of one checkout."""

    programs: Mapping[str, Artifact]
    """Binaries by name."""
    node_root: Artifact
    """The root file system of a node."""
    registry_store: Artifact
    """The registry with all images."""

    @cached_property
    def all(self) -> list[Artifact]:
        """Every artifact, what is needed first; the longest builds as early as they can be."""
        return in_order([*self.programs.values(), self.node_root, self.registry_store])


def catalogue(
    toolchain: Toolchain,
    files: Sequence[Path],
    ready: Mapping[str, Artifact] | None = None,
    root: Path = REPOSITORY,
) -> Catalogue:
    """The artifacts of a checkout.

    Args:
        toolchain: the compiler, which is part of every binary's key.
        files: the images.yaml files.
        ready: ready-made programs that take the place of builds, by name.
        root: the checkout.

    Raises:
        BadImages: an images.yaml is not valid.
    """
    programs = {
        program.name: binaries.program_artifact(root, toolchain, program)
        for program in binaries.PROGRAMS
    }
    for module_program in modules.MODULE_PROGRAMS:
        programs[module_program.name] = modules.module_artifact(toolchain, module_program)
    for package in debian_programs.PACKAGES:
        programs[package] = debian_programs.package_artifact(package)
    programs |= ready or {}
    packages = node_roots.packages_artifact()
    tagged: list[registry_stores.TaggedImage] = []
    for file in files:
        source = layers.LayerSource(root, file.parent, toolchain, programs)
        tagged += _tagged(source, image_specs.load(file))
    _check_names(tagged)
    return Catalogue(
        programs=programs,
        node_root=node_roots.root_artifact(packages, programs),
        registry_store=registry_stores.store_artifact(tagged, programs["registry"]),
    )


def _tagged(
    source: layers.LayerSource, images: image_specs.ImageSet
) -> list[registry_stores.TaggedImage]:
    return [
        registry_stores.TaggedImage(
            spec, tag, tuple(layers.image_layers(source, images, spec, value.release))
        )
        for spec in images.images
        for tag, value in spec.tags.items()
    ]


def _check_names(images: Sequence[registry_stores.TaggedImage]) -> None:
    seen: set[str] = set()
    for image in images:
        if image.name in seen:
            raise BadImages(f"image {image.name} is described twice")
        seen.add(image.name)


@dataclass(frozen=True)
class Image:
    """An image in the cell's registry."""

    reference: str
    """As a pod names it: "registry.meridian.internal:5000/hotel/frontend:2.4.1"."""
    digest: str
    """Of its manifest, "sha256:…"."""

    def __str__(self) -> str:
        return self.reference


@dataclass(frozen=True)
class Artifacts:
    """The finished artifacts of a checkout: what clusters are made of."""

    catalogue: Catalogue
    cache: Cache

    def binary(self, name: str) -> Path:
        """A program's path.

        Args:
            name: as "etcd"; a component of Kubernetes has its own name too, as "kubelet".
        """
        artifact = "kube" if name in binaries.KUBE_COMPONENTS else name
        if artifact not in self.catalogue.programs:
            raise ArtifactError(f"set-up builds no program {name!r}")
        return self.cache.folder(self.catalogue.programs[artifact]) / name

    @property
    def kube(self) -> Path:
        """All of Kubernetes in one binary: the first argument, or its name, says which part."""
        return self.binary("kube")

    @property
    def ferretdb(self) -> Path:
        """The database that speaks MongoDB's protocol."""
        return self.binary("ferretdb")

    @property
    def node_root(self) -> Path:
        """The root file system of a node, a folder to be copied with `cp -a`."""
        return self.cache.folder(self.catalogue.node_root) / "root"

    @property
    def registry_store(self) -> Path:
        """The folder that a registry serves; to be copied, not served from here."""
        return self.cache.folder(self.catalogue.registry_store) / registry_stores.STORE

    @cached_property
    def images(self) -> Mapping[str, Image]:
        """Every image by repository and tag, as "hotel/frontend:2.4.1"."""
        folder = self.cache.folder(self.catalogue.registry_store)
        digests: dict[str, str] = json.loads((folder / registry_stores.DIGESTS).read_text())
        host = f"{layout.REGISTRY_HOST}:{layout.REGISTRY_PORT}"
        return {name: Image(f"{host}/{name}", digest) for name, digest in digests.items()}

    def image(self, repository: str, tag: str) -> Image:
        """One image.

        Raises:
            ArtifactError: there is none of that name.
        """
        name = f"{repository}:{tag}"
        if name not in self.images:
            raise ArtifactError(f"no images.yaml describes {name}")
        return self.images[name]

    @property
    def keys(self) -> Mapping[str, str]:
        """The keys of what a cluster is made of, by name: the environment's fingerprint."""
        roots = [
            *self.catalogue.programs.values(),
            self.catalogue.node_root,
            self.catalogue.registry_store,
        ]
        return {artifact.name: artifact.key for artifact in roots}
