"""Image layers: each built once, with one digest wherever it is used.

A layer is a gzipped tar archive with sorted names, no owners and fixed times, so the same content
has the same digest on every machine. Compression is light: the images travel over a bridge of the
same host, and what counts is the time that packing and unpacking take.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from faultyard.clusters.embedded.artifacts import debian, image_specs
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build, Lane, hash_of_files
from faultyard.clusters.embedded.artifacts.errors import BadImages
from faultyard.clusters.embedded.artifacts.go_sources import sources
from faultyard.clusters.embedded.artifacts.programs import output_of, run
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

ARCHIVE = "layer.tar.gz"
DESCRIPTION = "layer.json"
DPKG_STATUS = "dpkg-status"
TAR = (
    "tar --sort=name --format=posix --pax-option=delete=atime,delete=ctime --numeric-owner "
    f"--clamp-mtime --mtime=@{debian.EPOCH}"
).split()


@dataclass(frozen=True)
class PackedLayer:
    """What an image's manifest says of a layer."""

    digest: str
    """Of the compressed archive, "sha256:…"."""
    diff_id: str
    """Of the plain archive."""
    size: int
    """Of the compressed archive, in bytes."""


def packed(folder: Path) -> PackedLayer:
    """The description of a finished layer."""
    return PackedLayer(**json.loads((folder / DESCRIPTION).read_text()))


@dataclass(frozen=True)
class LayerSource:
    """What layers are built from beside their description."""

    root: Path
    """The repository."""
    folder: Path
    """The folder of images.yaml."""
    toolchain: Toolchain
    binaries: Mapping[str, Artifact]
    """By name."""
    hashes: dict[tuple[Path, str], str] = field(default_factory=dict, compare=False, repr=False)
    """Of Go packages: many layers are of the same one, each for another release."""

    def hash_of_package(self, module: Path, package: str) -> str:
        """The hash of all that a Go package is made of."""
        if (module, package) not in self.hashes:
            made_of = sources(module, package)
            self.hashes[module, package] = hash_of_files(self.root, made_of)
        return self.hashes[module, package]


def image_layers(
    source: LayerSource, images: image_specs.ImageSet, spec: image_specs.ImageSpec, release: str
) -> list[Artifact]:
    """The artifacts of one image's layers, lowest first."""
    found: list[Artifact] = []
    for name in spec.layers:
        layer = images.layers[name]
        match layer:
            case image_specs.DebianRoot():
                found.append(_debian_root(layer))
            case image_specs.DebianPackages():
                found.append(_debian_packages(layer, found[0]))
            case image_specs.GoProgram():
                found.append(_go_program(source, layer, release))
            case image_specs.Files():
                found.append(_files(source, layer))
            case image_specs.Binary():
                found.append(_binary(source, layer))
    return found


def _debian_root(layer: image_specs.DebianRoot) -> Artifact:
    def build(build: Build) -> None:
        root = build.scratch / "root"
        debian.bootstrap(root, "minbase", layer.packages, build.log)
        shutil.copy(root / "var/lib/dpkg/status", build.target / DPKG_STATUS)
        _pack(root, build)

    inputs = {"packages": sorted(layer.packages), "suite": debian.SUITE, "epoch": debian.EPOCH}
    title = "image layer: Debian"
    return Artifact("layer-debian-root", title, inputs, build, expected_s=25)


def _debian_packages(layer: image_specs.DebianPackages, base: Artifact) -> Artifact:
    def build(build: Build) -> None:
        stage = _stage(build)
        status = build.of(base) / DPKG_STATUS
        (build.scratch / "packages").mkdir()
        debian.unpack(layer.packages, status, stage, build.scratch / "packages", build.log)
        _pack(stage, build)

    inputs = {"packages": sorted(layer.packages), "suite": debian.SUITE, "epoch": debian.EPOCH}
    more = f" and {len(layer.packages) - 1} more" if len(layer.packages) > 1 else ""
    title = f"image layer: package {layer.packages[0]}{more}"
    return Artifact("layer-debian-packages", title, inputs, build, (base,), expected_s=15)


def _go_program(source: LayerSource, layer: image_specs.GoProgram, release: str) -> Artifact:
    module = source.root / layer.module
    if not (module / "go.mod").is_file():
        raise BadImages(f"{source.folder}/images.yaml: {module} is not a Go module")
    options = layer.releases[release]
    flags = f"-s -w {options.ldflags}".strip()
    tags = ",".join(options.tags)

    def build(build: Build) -> None:
        stage = _stage(build)
        binary = _placed(stage, layer.target)
        argv = [source.toolchain.go, "build", "-trimpath", "-ldflags", flags, "-tags", tags]
        environment = source.toolchain.environment(build.cache)
        run([*argv, "-o", binary, layer.package], build.log, cwd=module, env=environment)
        _pack(stage, build)

    inputs = {
        "go": source.toolchain.version,
        "package": layer.package,
        "target": str(layer.target),
        "flags": flags,
        "tags": tags,
        "sources": source.hash_of_package(module, layer.package),
    }
    name = layer.target.name
    title = f"image layer: {name}" + (f", release {release}" if release else "")
    return Artifact(f"layer-go-{name}", title, inputs, build, lane=Lane.GO, expected_s=40)


def _files(source: LayerSource, layer: image_specs.Files) -> Artifact:
    content = source.folder / layer.source
    if not content.exists():
        raise BadImages(f"{source.folder}/images.yaml: there is no {content}")

    def build(build: Build) -> None:
        stage = _stage(build)
        run(["cp", "-rT", "--preserve=mode", content, _placed(stage, layer.target)], build.log)
        _pack(stage, build)

    inputs = {"target": str(layer.target), "content": hash_of_files(source.folder, [content])}
    return Artifact(
        "layer-files", f"image layer: files in {layer.target}", inputs, build, expected_s=1
    )


def _binary(source: LayerSource, layer: image_specs.Binary) -> Artifact:
    if layer.name not in source.binaries:
        known = ", ".join(sorted(source.binaries))
        raise BadImages(f"{source.folder}/images.yaml: no binary {layer.name!r}; there are {known}")
    binary = source.binaries[layer.name]

    def build(build: Build) -> None:
        stage = _stage(build)
        shutil.copy(build.of(binary) / layer.name, _placed(stage, layer.target))
        _pack(stage, build)

    inputs = {"binary": layer.name, "target": str(layer.target)}
    title = f"image layer: {layer.name}"
    return Artifact("layer-binary", title, inputs, build, (binary,), expected_s=3)


def _stage(build: Build) -> Path:
    stage = build.scratch / "stage"
    stage.mkdir(mode=0o755)
    return stage


def _placed(stage: Path, target: Path) -> Path:
    place = stage / target.relative_to("/")
    place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    return place


def _pack(stage: Path, build: Build) -> None:
    plain = build.scratch / "layer.tar"
    run([*TAR, "-C", stage, "-cf", plain, "."], build.log)
    diff_id = _sha256(plain, build)
    run(["gzip", "-1", "--no-name", plain], build.log)
    archive = build.target / ARCHIVE
    plain.with_name("layer.tar.gz").rename(archive)
    layer = PackedLayer(_sha256(archive, build), diff_id, archive.stat().st_size)
    (build.target / DESCRIPTION).write_text(json.dumps(asdict(layer)) + "\n")


def _sha256(file: Path, build: Build) -> str:
    return "sha256:" + output_of(["sha256sum", file], build.log).split()[0]
