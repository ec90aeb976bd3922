import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import catalogue, image_specs, layers, registry_stores
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.errors import BadImages
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

IMAGES = """
images:
  - repository: shop/front
    tags: {"1.0.0": {}, "1.1.0": {}}
    layers: [configuration, data]
    entrypoint: [/usr/local/bin/front]
    user: "65532"
  - repository: shop/back
    tags: {"1.0.0": {}}
    layers: [configuration]
layers:
  configuration: {kind: files, source: configuration, target: /etc/shop}
  data: {kind: files, source: data.txt, target: /srv/data.txt}
"""
COMPILER = Toolchain("/usr/bin/go", "1.26.8")
MakeBuild = Callable[..., Build]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "apps" / "shop"
    (folder / "configuration").mkdir(parents=True)
    (folder / "configuration" / "shop.conf").write_text("open = true\n")
    (folder / "data.txt").write_text("apples\n")
    (folder / "images.yaml").write_text(IMAGES)
    return folder


def tagged(folder: Path) -> list[registry_stores.TaggedImage]:
    images = image_specs.load(folder / "images.yaml")
    source = layers.LayerSource(folder.parents[1], folder, COMPILER, {})
    return [
        registry_stores.TaggedImage(
            spec, tag, tuple(layers.image_layers(source, images, spec, value.release))
        )
        for spec in images.images
        for tag, value in spec.tags.items()
    ]


def built_layers(
    images: list[registry_stores.TaggedImage], build_of: MakeBuild
) -> tuple[tuple[Artifact, Path], ...]:
    found = {layer.identity: layer for image in images for layer in image.layers}
    pairs = []
    for layer in found.values():
        build = build_of(layer.key)
        layer.build(build)
        pairs.append((layer, build.target))
    return tuple(pairs)


def test_a_layer_that_images_share_is_one_artifact(folder: Path):
    front, _, back = tagged(folder)
    assert front.layers[0].identity == back.layers[0].identity


def test_the_same_files_make_the_same_layer_whenever_they_are_packed(
    folder: Path, build_of: MakeBuild
):
    layer = tagged(folder)[0].layers[0]
    digests = []
    for name in ("first", "second"):
        (folder / "configuration" / "shop.conf").touch()
        build = build_of(name)
        layer.build(build)
        digests.append(layers.packed(build.target))
    assert digests[0] == digests[1]


def test_the_layout_has_every_image_by_its_name(folder: Path, build_of: MakeBuild, tmp_path: Path):
    images = tagged(folder)
    build = build_of("store", built_layers(images, build_of))
    digests = registry_stores.write_layout(tmp_path / "layout", images, build)
    index = json.loads((tmp_path / "layout" / "index.json").read_text())
    named = {
        entry["annotations"]["org.opencontainers.image.ref.name"]: entry["digest"]
        for entry in index["manifests"]
    }
    assert named == digests
    assert set(named) == {"shop/front:1.0.0", "shop/front:1.1.0", "shop/back:1.0.0"}


def test_every_blob_of_the_layout_has_the_digest_it_is_named_by(
    folder: Path, build_of: MakeBuild, tmp_path: Path
):
    images = tagged(folder)
    build = build_of("store", built_layers(images, build_of))
    registry_stores.write_layout(tmp_path / "layout", images, build)
    blobs = list((tmp_path / "layout" / "blobs" / "sha256").iterdir())
    # 2 layers, and for each of 3 images a configuration and a manifest.
    assert len(blobs) == 8
    assert [blob.name for blob in blobs] == [
        hashlib.sha256(blob.read_bytes()).hexdigest() for blob in blobs
    ]


def test_an_images_configuration_is_that_of_a_company(folder: Path):
    first, second, _ = tagged(folder)
    part = layers.PackedLayer("sha256:aa", "sha256:bb", 1)
    configuration = registry_stores.configuration(second, [part])
    assert configuration["rootfs"] == {"type": "layers", "diff_ids": ["sha256:bb"]}
    assert configuration["created"] == "2026-09-23T11:30:00Z"
    assert "author" not in configuration
    settings = configuration["config"]
    assert isinstance(settings, dict)
    assert settings["User"] == "65532"
    assert settings["Labels"] == {
        "org.opencontainers.image.title": "front",
        "org.opencontainers.image.vendor": "Meridian",
        "org.opencontainers.image.version": "1.1.0",
    }
    assert registry_stores.configuration(first, [part])["created"] == "2026-09-14T08:30:00Z"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("layers: [configuration]", "layers: [nothing]"), "there is no layer 'nothing'"),
        (("kind: files", "kind: filez"), "filez"),
        (("user:", "usr:"), "usr"),
        (("repository: shop/back", "repository: Shop/Back"), "repository"),
        (('"1.1.0": {}', '"1.1.0": {releases: a}'), "releases"),
    ],
)
def test_a_mistake_in_images_yaml_is_named_with_its_file(
    folder: Path, change: tuple[str, str], said: str
):
    file = folder / "images.yaml"
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(BadImages, match=said) as failure:
        image_specs.load(file)
    assert str(file) in str(failure.value)


def test_packages_need_a_debian_below(folder: Path):
    file = folder / "images.yaml"
    packages = "data: {kind: debian-packages, packages: [jq]}\n"
    file.write_text(file.read_text().replace("data: {kind", f"{packages}  unused: {{kind"))
    with pytest.raises(BadImages, match="need a debian-root below"):
        image_specs.load(file)


def test_a_tag_names_a_release_that_its_program_has(folder: Path):
    file = folder / "images.yaml"
    program = (
        "data: {kind: go, module: native/apps, package: ./shop, target: /shop, "
        "releases: {a: {tags: [old]}, b: {}}}\n"
    )
    file.write_text(file.read_text().replace("data: {kind", f"{program}  unused: {{kind"))
    with pytest.raises(BadImages, match="has no release ''; it has 'a', 'b'"):
        image_specs.load(file)


def test_an_image_may_be_described_only_once(folder: Path):
    files = [folder / "images.yaml"] * 2
    with pytest.raises(BadImages, match=r"shop/front:1\.0\.0 is described twice"):
        catalogue.catalogue(COMPILER, files)


def test_the_platforms_images_are_what_a_cluster_needs():
    wanted = catalogue.catalogue(COMPILER, catalogue.image_files()[:1])
    names = {image["spec"]["repository"] for image in wanted.registry_store.inputs["images"]}  # type: ignore[attr-defined]
    addons = {"coredns", "ingress-nginx", "local-path-provisioner", "metrics-server"}
    assert names == addons | {"pause", "toolbox"}


def test_every_images_yaml_of_this_checkout_is_valid():
    wanted = catalogue.catalogue(COMPILER, catalogue.image_files())
    assert wanted.registry_store in wanted.all
