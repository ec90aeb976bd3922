from dataclasses import replace
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import binaries, builds, toolchain
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.errors import ArtifactError, NotBuilt
from faultyard.clusters.embedded.artifacts.go_sources import sources

GO_MOD = """module platform

go 1.26.6

require (
\tk8s.io/component-base v0.37.2
\tk8s.io/kubernetes v1.37.2
)
"""
KUBE = next(program for program in binaries.PROGRAMS if program.name == "kube")


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module with two programs, of which one uses a package of the other's."""
    files = {
        "go.mod": "module meridian\n\ngo 1.26.0\n",
        "go.sum": "",
        "hotel/cmd/hotel/main.go": 'package main\nimport (\n\t"fmt"\n\t"meridian/hotel/rates"\n)\n',
        "hotel/rates/rates.go": 'package rates\nimport clock "meridian/time"\n',
        "hotel/rates/rates_test.go": 'package rates\nimport "meridian/testing"\n',
        "time/time.go": 'package time\nimport "meridian/hotel/rates"\n',
        "testing/testing.go": "package testing\n",
        "load/cmd/loadgen/main.go": "package main\n",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def names(module: Path, package: str) -> list[str]:
    return [str(path.relative_to(module)) for path in sources(module, package)]


def test_a_package_is_made_of_all_that_it_imports_within_its_module(module: Path):
    expected = ["go.mod", "go.sum", "hotel/cmd/hotel", "hotel/rates", "time"]
    assert names(module, "./hotel/cmd/hotel") == expected


def test_a_package_is_not_made_of_its_neighbours(module: Path):
    assert names(module, "./load/cmd/loadgen") == ["go.mod", "go.sum", "load/cmd/loadgen"]


def test_a_package_of_another_module_is_pinned_by_go_mod(module: Path):
    assert names(module, "go.etcd.io/etcd/server/v3") == ["go.mod", "go.sum"]


def test_a_missing_package_is_an_error(module: Path):
    with pytest.raises(ArtifactError, match=r"no Go package ./nothing"):
        sources(module, "./nothing")


def test_the_reported_version_is_that_of_go_mod():
    flags = binaries.linker_flags(KUBE, GO_MOD)
    assert "version.gitVersion=v1.37.2 " in flags
    assert "version.gitMajor=1 " in flags
    assert "version.gitMinor=37 " in flags


def test_a_version_that_go_mod_does_not_pin_is_an_error():
    other = replace(KUBE, version_of="example.com/other")
    with pytest.raises(ArtifactError, match=r"does not require example\.com/other"):
        binaries.linker_flags(other, GO_MOD)


def test_the_least_go_is_read_from_go_mod(module: Path):
    assert toolchain.required_version(module / "go.mod") == "1.26.0"


def test_versions_are_compared_by_number():
    assert toolchain.parsed("1.26.10") > toolchain.parsed("1.26.9")


def test_without_a_chosen_compiler_set_up_is_asked_for(cache: Cache):
    with pytest.raises(NotBuilt, match="make setup"):
        toolchain.chosen(cache, "1.26.0")


def test_the_compiler_that_can_be_fetched_is_new_enough_for_this_checkout():
    assert toolchain.parsed(toolchain.PYPI_VERSION) >= toolchain.parsed(builds.least_go())


def test_the_chosen_compiler_is_kept(cache: Cache):
    first = toolchain.choose(cache, "1.20")
    assert toolchain.chosen(cache, "1.20") == first


def test_a_chosen_compiler_that_is_too_old_by_now_is_not_used(cache: Cache):
    toolchain.choose(cache, "1.20")
    with pytest.raises(NotBuilt):
        toolchain.chosen(cache, "99.0")
