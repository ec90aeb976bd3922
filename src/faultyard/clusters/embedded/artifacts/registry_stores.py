"""The registry's store: every image, as the registry itself lays it out on disk.

The images are assembled as an OCI layout and pushed by skopeo to a registry that runs for this
alone, in a network namespace of its own; each cell then serves a clone of the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from faultyard.clusters.embedded.artifacts import layers
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build, hash_of_files
from faultyard.clusters.embedded.artifacts.image_specs import ImageSpec
from faultyard.clusters.embedded.artifacts.programs import run

STORE = "registry"
DIGESTS = "images.json"
PUSH = Path(__file__).with_name("push-images.sh")
VENDOR = "Meridian"
FIRST_RELEASE = datetime(2026, 9, 14, 8, 30, tzinfo=UTC)
BETWEEN_RELEASES = timedelta(days=9, hours=3)
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip"


@dataclass(frozen=True)
class TaggedImage:
    """One image to be built."""

    spec: ImageSpec
    tag: str
    layers: tuple[Artifact, ...]
    """Lowest first."""

    @property
    def name(self) -> str:
        """Repository and tag."""
        return f"{self.spec.repository}:{self.tag}"


def store_artifact(images: Sequence[TaggedImage], registry: Artifact) -> Artifact:
    """The store with all images: a folder for the registry, and the images' digests."""

    def build(build: Build) -> None:
        layout = build.scratch / "layout"
        digests = write_layout(layout, images, build)
        (build.target / DIGESTS).write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")
        names = build.scratch / "names"
        names.write_text("".join(f"{name}\n" for name in digests))
        store = build.target / STORE
        store.mkdir()
        run([PUSH, build.of(registry) / "registry", store, layout, names], build.log)

    needs = {layer.identity: layer for image in images for layer in image.layers}
    return Artifact(
        name="registry-store",
        title="registry with all images",
        inputs={
            "images": [
                {
                    "tag": image.tag,
                    "spec": image.spec.model_dump(mode="json"),
                    "layers": [layer.identity for layer in image.layers],
                }
                for image in images
            ],
            "recipe": hash_of_files(PUSH.parent, [PUSH, Path(__file__)]),
        },
        build=build,
        needs=(registry, *needs.values()),
        expected_s=20,
    )


def write_layout(layout: Path, images: Sequence[TaggedImage], build: Build) -> dict[str, str]:
    """Write the images as an OCI layout; returns each image's digest by its name."""
    blobs = layout / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    (layout / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
    entries = []
    for image in images:
        folders = [build.of(layer) for layer in image.layers]
        parts = [layers.packed(folder) for folder in folders]
        for folder, part in zip(folders, parts, strict=True):
            _link(folder / layers.ARCHIVE, blobs / part.digest.removeprefix("sha256:"))
        config = _write(blobs, CONFIG_TYPE, configuration(image, parts))
        content = {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": config,
            "layers": [
                {"mediaType": LAYER_TYPE, "digest": part.digest, "size": part.size}
                for part in parts
            ],
        }
        manifest = _write(blobs, MANIFEST_TYPE, content)
        annotations = {"org.opencontainers.image.ref.name": image.name}
        entries.append({**manifest, "annotations": annotations})
    index = {"schemaVersion": 2, "manifests": entries}
    (layout / "index.json").write_text(json.dumps(index))
    return {image.name: str(entry["digest"]) for image, entry in zip(images, entries, strict=True)}


def configuration(image: TaggedImage, parts: Sequence[layers.PackedLayer]) -> dict[str, object]:
    """An image's configuration, as a company's build pipeline would write it."""
    spec = image.spec
    age = list(spec.tags).index(image.tag)
    created = (FIRST_RELEASE + age * BETWEEN_RELEASES).strftime("%Y-%m-%dT%H:%M:%SZ")
    settings: dict[str, object] = {
        "Env": [f"PATH={SEARCH_PATH}", *(f"{name}={value}" for name, value in spec.env.items())],
        "Labels": {
            "org.opencontainers.image.title": spec.repository.rpartition("/")[2],
            "org.opencontainers.image.vendor": VENDOR,
            "org.opencontainers.image.version": image.tag,
        },
        "WorkingDir": "/",
    }
    optional = {"User": spec.user, "Entrypoint": spec.entrypoint, "Cmd": spec.command}
    settings.update({key: value for key, value in optional.items() if value})
    return {
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": settings,
        "rootfs": {"type": "layers", "diff_ids": [part.diff_id for part in parts]},
    }


def _write(blobs: Path, media_type: str, content: Mapping[str, object]) -> dict[str, object]:
    data = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(data).hexdigest()
    (blobs / digest).write_bytes(data)
    return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}


def _link(source: Path, place: Path) -> None:
    if not place.exists():
        os.link(source, place)
