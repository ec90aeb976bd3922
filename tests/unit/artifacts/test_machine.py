from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import machine
from faultyard.clusters.embedded.artifacts.errors import NotRoot, UnsuitableMachine

DEBIAN = {"ID": "debian", "PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"}
UBUNTU = {"ID": "ubuntu", "ID_LIKE": "debian", "PRETTY_NAME": "Ubuntu 24.04"}
FEDORA = {"ID": "fedora", "PRETTY_NAME": "Fedora Linux 42"}


def test_root_on_debian_is_fine():
    assert machine.check("Linux", "x86_64", 0, DEBIAN) == ""


def test_ubuntu_is_warned_about():
    assert "Ubuntu 24.04 is not checked" in machine.check("Linux", "x86_64", 0, UBUNTU)


def test_no_root_is_a_usage_error():
    with pytest.raises(NotRoot, match="sudo") as failure:
        machine.check("Linux", "x86_64", 1000, DEBIAN)
    assert failure.value.exit_code == 2


@pytest.mark.parametrize(
    ("system", "processor", "release", "said"),
    [
        ("Darwin", "arm64", {}, "need Linux.*Darwin"),
        ("Linux", "aarch64", DEBIAN, "aarch64"),
        ("Linux", "x86_64", FEDORA, "Fedora Linux 42"),
        ("Linux", "x86_64", {}, "an unknown system"),
    ],
)
def test_another_machine_is_refused_by_name(
    system: str, processor: str, release: dict[str, str], said: str
):
    with pytest.raises(UnsuitableMachine, match=said) as failure:
        machine.check(system, processor, 0, release)
    assert failure.value.exit_code == 3


def test_too_small_a_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "LEAST_FREE_BYTES", 10**18)
    with pytest.raises(UnsuitableMachine, match=r"GB are free under .*FAULTYARD_CACHE"):
        machine.check_disk(tmp_path)


def test_a_package_that_is_not_installed_is_found_missing():
    assert machine.missing_packages(["dpkg", "no-such-package"]) == ["no-such-package"]


def test_packages_that_apt_lacks_are_read_from_its_output():
    output = (
        "Reading package lists...\n"
        "E: Unable to locate package mmdebstrap\n"
        "E: Package 'skopeo' has no installation candidate\n"
    )
    assert machine.not_offered(output) == ["mmdebstrap", "skopeo"]
