from pathlib import Path

import click
import pytest

from faultyard.cli import paths


def test_a_folder_that_can_be_made_is_not_made(tmp_path: Path) -> None:
    paths.require_folder(tmp_path / "records/demo/fix")
    paths.require_folder(tmp_path / "records/../other")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    paths.require_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("name", ["x" * 300, "a/b/" + "x" * 300, "file", "file/below", "loop"])
def test_what_can_be_no_folder_is_wrong_usage_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(click.UsageError, match="nothing can be written to"):
        paths.require_folder(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "loop"]


def test_a_full_disk_is_no_mistake_of_the_users() -> None:
    with pytest.raises(OSError, match="No space left"):
        paths.write(Path("/dev/full"), "text")


def test_a_file_that_cannot_be_there_is_wrong_usage() -> None:
    with pytest.raises(click.UsageError, match=r"nothing can be written to /proc/x\.html"):
        paths.write(Path("/proc/x.html"), "text")
