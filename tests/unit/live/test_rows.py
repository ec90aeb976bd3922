"""The rows of the long tests: what passed on this very code is not run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from live import rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "long.jsonl"


def test_a_test_that_passed_counts_with_what_it_rested_on(file: Path) -> None:
    rows.append("t[1]", "code", "passed", 12.34, file)
    assert rows.passed(file) == {("t[1]", "code")}
    assert rows.read(file)[0].seconds == 12.3


def test_one_that_failed_does_not(file: Path) -> None:
    rows.append("a", "code", "failed", 1, file)
    assert rows.passed(file) == frozenset()


def test_no_file_is_no_rows(file: Path) -> None:
    assert rows.read(file) == []


def test_the_table_shows_the_last_row_of_each_test_that_there_is_and_marks_older_code(
    file: Path,
) -> None:
    rows.append("a", "older", "failed", 1, file)
    rows.append("a", "older", "passed", 2, file)
    rows.append("b", "code", "passed", 3, file)
    rows.append("gone", "older", "passed", 4, file)
    table = rows.table(rows.read(file), {"a": "code", "b": "code"})
    assert len(table) == 2
    assert table[0].startswith("passed ")
    assert table[0].endswith("a  (older code, older)")
    assert table[1].endswith("b")


def test_the_fingerprint_changes_with_content_and_names_but_not_with_compiled_files(
    tmp_path: Path,
) -> None:
    source = tmp_path / "src" / "a.py"
    source.parent.mkdir()
    source.write_text("1")
    first = rows.fingerprint(tmp_path, ["src"])
    (tmp_path / "src" / "__pycache__").mkdir()
    (tmp_path / "src" / "__pycache__" / "a.pyc").write_text("x")
    assert rows.fingerprint(tmp_path, ["src"]) == first
    source.write_text("2")
    changed = rows.fingerprint(tmp_path, ["src"])
    source.rename(tmp_path / "src" / "b.py")
    assert len({first, changed, rows.fingerprint(tmp_path, ["src"])}) == 3


def test_a_file_that_a_test_rests_on_counts_like_a_folder_and_must_exist(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = rows.fingerprint(tmp_path, ["a.py"])
    (tmp_path / "a.py").write_text("2")
    assert rows.fingerprint(tmp_path, ["a.py"]) != first
    with pytest.raises(FileNotFoundError):
        rows.fingerprint(tmp_path, ["b.py"])
