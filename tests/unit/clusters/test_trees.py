"""Folders that go with all that is in them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from faultyard.clusters.embedded import trees

BOTH = 2


def test_two_may_delete_a_folder_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "cell"
    for number in range(300):
        (folder / str(number % 7)).mkdir(parents=True, exist_ok=True)
        (folder / str(number % 7) / str(number)).touch()
    begin, failed = threading.Barrier(BOTH), []

    def delete() -> None:
        begin.wait()
        try:
            trees.delete(folder)
        except OSError as error:
            failed.append(error)

    both = [threading.Thread(target=delete) for _ in range(BOTH)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert failed == []
    assert not folder.exists()


def test_one_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    trees.delete(tmp_path / "cell")


def test_what_is_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cell").touch()
    with pytest.raises(NotADirectoryError):
        trees.delete(tmp_path / "cell")
