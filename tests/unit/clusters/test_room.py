"""What is full, and what to do about it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from faultyard.clusters.embedded import room
from faultyard.clusters.errors import Refused


def with_free(monkeypatch: pytest.MonkeyPatch, gib: float) -> None:
    usage = shutil.disk_usage("/")._replace(free=int(gib * 2**30))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)


def test_too_little_room_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_free(monkeypatch, 1.5)
    with pytest.raises(Refused, match=r"1\.5 GiB free, a cell needs 2; .* FAULTYARD_STATE"):
        room.check(tmp_path, room.LEAST_LEFT_GIB)
    assert room.check(tmp_path, 1) == pytest.approx(1.5)


def test_a_full_disk_is_a_shortage_and_one_with_room_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_free(monkeypatch, 3)
    assert room.shortage(tmp_path) == ""
    with_free(monkeypatch, 0.1)
    assert f"The disk under {tmp_path} is full" in room.shortage(tmp_path)


def test_what_can_be_written_to_is_not_read_only(tmp_path: Path) -> None:
    assert not room.read_only(tmp_path)
    assert not room.read_only(tmp_path / "nothing")


def test_an_error_is_told_with_what_is_full_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = Refused("etcd does not answer")
    assert room.told(error, tmp_path) == "etcd does not answer"
    with_free(monkeypatch, 0.1)
    told = room.told(error, tmp_path)
    assert told.startswith("etcd does not answer\n  The disk under")
    assert room.told(Refused(told), tmp_path) == told
