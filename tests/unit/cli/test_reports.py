from pathlib import Path

import pytest
from click.testing import CliRunner

from faultyard.cli.reports import report_command, write
from faultyard.model.errors import DamagedRecord
from unit.model.builders import Trial, written
from unit.reports.pages import record_of


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(report_command, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def test_the_report_lies_beside_the_record_unless_told_otherwise(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    code, output = run(record)
    assert code == 0
    assert output == f"{tmp_path / 'fix-s1.html'}\n"
    assert (tmp_path / "fix-s1.html").read_text().startswith("<!DOCTYPE html>")


def test_it_can_be_written_elsewhere(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    run(record, "-o", tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["page.html"]


def test_a_report_never_lies_in_the_record_which_it_would_damage(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    code, output = run(record, "-o", record / "page.html")
    assert code == 2
    assert "lies in the record itself" in output


def test_a_folder_that_is_missing_is_a_sentence(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    code, output = run(record, "-o", tmp_path / "nowhere" / "page.html")
    assert code == 2
    assert "is not a folder" in output


def test_a_place_where_no_file_can_be_is_a_sentence(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    code, output = run(record, "-o", "/proc/x.html")
    assert code == 2
    assert "nothing can be written to /proc/x.html" in output


def test_a_record_that_is_the_present_folder_has_its_report_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written(tmp_path / "fix-s1", record_of(Trial())))
    assert write(Path()) == tmp_path / "fix-s1.html"


def test_a_damaged_record_leaves_no_report(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    (record / "client.jsonl").write_bytes(b"")
    with pytest.raises(DamagedRecord):
        run(record)
    assert not (tmp_path / "fix-s1.html").exists()


def test_unsealed_reports_all_the_same(tmp_path: Path) -> None:
    record = written(tmp_path / "fix-s1", record_of(Trial()))
    (record / "stray.txt").write_bytes(b"")
    assert run(record, "--unsealed")[0] == 0
