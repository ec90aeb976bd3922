"""Keys are written into machines whose root may be hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.clusters.embedded import sshkeys
from faultyard.clusters.errors import ClusterError

KEY = "ssh-ed25519 AAAA oncall"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "root/home/oncall"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "authorized_keys").write_text("precious")
    return folder


def authorize(home: Path, key: str = KEY) -> None:
    sshkeys.authorize(home.parent.parent, "oncall", key)


def test_the_key_is_the_only_one_and_private(home: Path) -> None:
    authorize(home, "old")
    authorize(home)
    keys = home / ".ssh/authorized_keys"
    assert keys.read_text() == f"{KEY}\n"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.parent.stat().st_mode & 0o777 == 0o700


def test_no_key_lets_nobody_in(home: Path) -> None:
    authorize(home)
    authorize(home, "")
    assert (home / ".ssh/authorized_keys").read_text() == ""


def test_a_link_in_place_of_the_file_is_replaced_not_followed(home: Path, outside: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh/authorized_keys").symlink_to(outside / "authorized_keys")
    authorize(home)
    assert (outside / "authorized_keys").read_text() == "precious"
    assert (home / ".ssh/authorized_keys").read_text() == f"{KEY}\n"


def test_a_second_name_of_another_file_is_not_written_through(home: Path, outside: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh/authorized_keys").hardlink_to(outside / "authorized_keys")
    authorize(home)
    assert (outside / "authorized_keys").read_text() == "precious"


def test_a_link_in_place_of_the_folder_is_replaced_not_followed(home: Path, outside: Path) -> None:
    (home / ".ssh").symlink_to(outside)
    authorize(home)
    assert (outside / "authorized_keys").read_text() == "precious"
    assert (home / ".ssh/authorized_keys").read_text() == f"{KEY}\n"


def test_a_link_in_place_of_the_home_is_an_error(home: Path, outside: Path) -> None:
    home.rmdir()
    home.symlink_to(outside)
    with pytest.raises(ClusterError, match="cannot be set"):
        authorize(home)
    assert not (outside / ".ssh").exists()
