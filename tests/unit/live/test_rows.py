"""The rows of the long tests: what passed on this very code is not run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from live import rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "long.jsonl"


def test_a_test_that_passed_on_this_code_is_done(file: Path) -> None:
    rows.append("t[1]", "code", "passed", 12.34, file)
    assert rows.passed("code", file) == {"t[1]"}
    assert rows.read(file)[0].seconds == 12.3


def test_one_that_failed_or_passed_on_other_code_is_not(file: Path) -> None:
    rows.append("a", "code", "failed", 1, file)
    rows.append("b", "older", "passed", 1, file)
    assert rows.passed("code", file) == frozenset()


def test_no_file_is_no_rows(file: Path) -> None:
    assert rows.read(file) == []


def test_the_table_shows_the_last_row_of_each_test_and_marks_older_code(file: Path) -> None:
    rows.append("a", "older", "failed", 1, file)
    rows.append("a", "older", "passed", 2, file)
    rows.append("b", "code", "passed", 3, file)
    table = rows.table(rows.read(file), "code")
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
