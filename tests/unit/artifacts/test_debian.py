from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import debian


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root file system as the installer leaves it."""
    files = {
        "etc/apt/apt.conf.d/99mmdebstrap": 'Acquire::http::Proxy "http://proxy.example:3142";',
        "etc/apt/apt.conf.d/01autoremove": "APT {}",
        "etc/apt/sources.list": "deb http://mirror.example/debian bookworm main\n",
        "etc/dpkg/dpkg.cfg.d/99mmdebstrap": "path-exclude=/usr/share/doc/*",
        "etc/hostname": "build-host\n",
        "etc/resolv.conf": "nameserver 192.0.2.1\n",
        "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
        "etc/ssh/ssh_host_rsa_key": "secret",
        "etc/ssh/sshd_config": "",
        "var/lib/apt/lists/mirror.example_InRelease": "",
        "var/log/dpkg.log": "",
        "var/log/apt/history.log": "",
        "var/log/wtmp": "",
        "tmp/rest": "",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    debian.scrub(tmp_path)
    return tmp_path


def test_nothing_tells_where_a_root_file_system_was_made(root: Path):
    left = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    assert left == [
        "etc/apt/apt.conf.d/01autoremove",
        "etc/apt/sources.list",
        "etc/machine-id",
        "etc/resolv.conf",
        "etc/ssh/sshd_config",
        "var/log/wtmp",
    ]


def test_a_machines_identity_and_name_servers_are_empty(root: Path):
    assert (root / "etc/machine-id").read_text() == ""
    assert (root / "etc/resolv.conf").read_text() == ""


def test_packages_seem_to_come_from_debian_itself(root: Path):
    lines = (root / "etc/apt/sources.list").read_text().splitlines()
    assert lines[0] == "deb http://deb.debian.org/debian bookworm main"
    assert len(lines) == 3


def test_only_settings_on_reaching_archives_are_taken_from_this_machine():
    assert all(line.startswith(debian.TAKEN_SETTINGS) for line in debian.apt_settings())


def test_packages_are_installed_from_the_release_that_nodes_have():
    lines = debian.sources()
    assert any(f" {debian.SUITE} main" in line for line in lines)
