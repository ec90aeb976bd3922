"""What changed on the host is found once, told, and put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faultyard.evidence.host_settings import NOT_SETTINGS, Clock, SettingFiles, setting_files
from faultyard.evidence.sentinels import Sentinels
from faultyard.model import sentinels


@pytest.fixture
def settings(tmp_path: Path) -> list[Path]:
    """Two files that hold a setting each, as the kernel's do."""
    number, choice = tmp_path / "number", tmp_path / "choice"
    number.write_text("10\n")
    choice.write_text("always [madvise] never\n")
    return [number, choice]


def test_nothing_is_found_where_nothing_changed(settings: list[Path]) -> None:
    told: list[str] = []
    watch = Sentinels([SettingFiles(settings), Clock()], told.append)
    assert watch.settle() == []
    assert watch.result().watched == 3
    assert told == []


def test_a_changed_setting_is_put_back_and_told(settings: list[Path]) -> None:
    told: list[str] = []
    watch = Sentinels([SettingFiles(settings)], told.append)
    settings[0].write_text("11\n")
    (change,) = watch.settle()
    assert (change.name, change.before, change.after) == (str(settings[0]), "10", "11")
    assert change.restored
    assert settings[0].read_text() == "10\n"
    assert "it was put back" in told[0]
    assert watch.settle() == []
    assert watch.result().changes == (change,)


def test_of_a_choice_the_chosen_word_is_written(settings: list[Path]) -> None:
    watch = Sentinels([SettingFiles(settings)], print)
    settings[1].write_text("[always] madvise never\n")
    watch.settle()
    assert settings[1].read_text() == "madvise\n"


def test_what_does_not_take_its_old_value_is_told_once(settings: list[Path]) -> None:
    """A plain file, other than the kernel's, shows the word that was written to it."""
    told: list[str] = []
    watch = Sentinels([SettingFiles(settings)], told.append)
    settings[1].write_text("[always] madvise never\n")
    (change,) = watch.settle()
    assert not change.restored
    assert "NOT put back" in told[0]
    assert watch.settle() == []


def test_a_setting_that_went_with_its_part_of_the_kernel_is_no_change(
    settings: list[Path],
) -> None:
    watch = Sentinels([SettingFiles(settings)], print)
    settings[0].unlink()
    assert watch.settle() == []


def test_the_settings_of_this_host_are_files_that_hold_one() -> None:
    files = list(setting_files())
    assert Path("/proc/sys/kernel/core_pattern") in files
    assert not [file for file in files if str(file).startswith("/proc/sys/net/")]


def test_regions_that_the_kernels_memory_monitor_moves_by_itself_are_no_settings() -> None:
    monitor = "/sys/kernel/mm/damon/admin/kdamonds/0/contexts/0/targets/0/regions/0/end"
    assert NOT_SETTINGS.match(monitor)
    assert not NOT_SETTINGS.match("/sys/kernel/mm/transparent_hugepage/enabled")


def test_what_the_record_keeps_is_read_again(settings: list[Path]) -> None:
    watch = Sentinels([SettingFiles(settings)], print)
    settings[0].write_text("11\n")
    watch.settle()
    written = json.dumps(watch.result().model_dump(mode="json", by_alias=True))
    assert sentinels.Sentinels.model_validate_json(written) == watch.result()
    assert json.loads(written)["schema"] == 1
