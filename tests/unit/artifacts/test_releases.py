from pathlib import Path

import pytest
from pydantic import ValidationError

from faultyard.clusters.embedded.artifacts import releases
from faultyard.clusters.embedded.artifacts.artifact import Artifact
from faultyard.clusters.embedded.artifacts.catalogue import (
    REPOSITORY,
    catalogue,
    image_files,
)
from faultyard.clusters.embedded.artifacts.modules import MODULE_PROGRAMS
from faultyard.clusters.embedded.artifacts.releases import Packed
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

COMPILER = Toolchain("/usr/bin/go", "1.26.8")
TOLD = {
    "etcd": "etcd Version: 3.7.3\nGit SHA: 0a1b2c3\n",
    "containerd": "containerd github.com/containerd/containerd/v2 v2.4.2 0a1b2c3d\n",
    "containerd-shim-runc-v2": "containerd-shim-runc-v2:\n  Version:  v2.4.2\n",
    "ctr": "ctr github.com/containerd/containerd/v2 v2.4.2\n",
    "crictl": "crictl version v1.37.0\n",
    "registry": "/usr/bin/registry github.com/distribution/distribution/v3 v3.1.2\n",
    "coredns": "CoreDNS-1.14.7\nlinux/amd64, go1.26.8, 0a1b2c3\n",
    "victoria-logs": "victoria-logs-20260901-101112-tags-v1.52.1-0-g0a1b2c3d4\n",
    "jaeger": 'hello\n{"gitCommit":"0a1b","gitVersion":"v1.76.0","buildDate":"2025-12-01"}\n',
}
"""What each program says of its version, as built here or as its project documents."""


def table() -> dict[str, tuple[Packed, str]]:
    return {
        name: (program, release.version)
        for release in releases.load()
        for name, program in release.programs.items()
    }


def test_the_table_is_of_the_versions_that_this_checkout_pins():
    assert releases.fitting(REPOSITORY) == releases.load()


def test_the_table_names_programs_of_the_catalogue():
    assert set(table()) <= set(catalogue(COMPILER, image_files()).programs)


def test_a_ready_made_program_takes_the_place_of_the_build_in_all_that_needs_it():
    ready = Artifact("containerd", "", {"digest": "1"}, lambda _: None)
    built = catalogue(COMPILER, image_files())
    other = catalogue(COMPILER, image_files(), {"containerd": ready})
    assert ready in other.node_root.needs
    assert other.node_root.key != built.node_root.key
    assert other.programs["etcd"].key == built.programs["etcd"].key


def test_what_is_mended_here_is_never_taken_from_elsewhere():
    mended = {program.name for program in MODULE_PROGRAMS if program.mends or program.files}
    assert mended == {"ferretdb", "vlagent"}
    assert not mended & set(table())


def test_every_address_and_place_of_a_digest_names_the_version():
    for release in releases.load():
        number = release.version.removeprefix("v")
        assert release.url.startswith("https://")
        assert number in release.url
        assert number in release.published


@pytest.mark.parametrize("name", sorted(TOLD))
def test_a_program_is_known_by_what_it_tells(name: str):
    program, version = table()[name]
    assert program.tells(TOLD[name], version)


@pytest.mark.parametrize("name", sorted(TOLD))
def test_a_program_that_tells_more_than_the_version_is_another(name: str):
    program, version = table()[name]
    number = version.removeprefix("v")
    for other in ("9.9.9", f"{number}+patched", f"{number}~ds1", f"{number}-rc.1", f"{number}1"):
        assert not program.tells(TOLD[name].replace(number, other), version), other


def test_every_program_of_the_table_is_tried_above():
    assert set(table()) == set(TOLD)


def test_a_release_of_another_version_than_the_pinned_one_is_of_no_use(tmp_path: Path):
    file = tmp_path / "releases.yaml"
    file.write_text(releases.TABLE.read_text().replace("version: v3.7.3", "version: v3.7.2"))
    fitting = {name for release in releases.fitting(REPOSITORY, file) for name in release.programs}
    assert "etcd" not in fitting
    assert "coredns" in fitting


@pytest.mark.parametrize(
    "digest", ["sha256:1234", "d" * 64, "md5:" + "0" * 32, "sha256:" + "G" * 64]
)
def test_a_digest_that_is_none_is_refused(tmp_path: Path, digest: str):
    file = tmp_path / "releases.yaml"
    file.write_text(releases.TABLE.read_text().replace("digest:\n", f"digest: {digest}\n", 1))
    with pytest.raises(ValidationError, match="digest"):
        releases.load(file)
