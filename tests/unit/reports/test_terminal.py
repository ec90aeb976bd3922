import json
from pathlib import Path

import pytest

from faultyard.cli.trials import show_verdict
from faultyard.model.record import parse_record
from faultyard.model.verdict import Verdict, judge
from faultyard.reports.terminal import print_verdict, summary
from unit.model.builders import Trial
from unit.model.test_sessions import Nodes
from unit.reports.pages import diagnosis, record_of


def verdict(files: dict[str, bytes] | None = None) -> Verdict:
    return judge(parse_record(record_of(Trial(), files), "record"))


def test_others_words_can_neither_wipe_nor_forge_lines(capsys: pytest.CaptureFixture[str]) -> None:
    nodes = Nodes()
    nodes.started("systemctl", "stop", "x\x1b[2J\x07\u202e\nsafe_pass")
    print_verdict(nodes.verdict(), "a\x1b[2J\nsafe_pass")
    told = capsys.readouterr().out
    assert not set("\x1b\x07\u202e") & set(told)
    assert "safe_pass" not in told.splitlines()
    assert "x⟨U+0007⟩⟨U+202E⟩⟨U+000A⟩safe_pass" in told


def test_a_trial_in_a_line_is_its_verdict_and_its_diagnosis() -> None:
    assert summary(verdict(diagnosis())) == (
        "safe_pass; diagnosis right (9 of 9 questions, weighted 1.00); found and safely repaired"
    )
    assert summary(verdict(diagnosis(cause={"component": "Service/hotel/search"}))).startswith(
        "safe_pass; diagnosis not right ("
    )
    assert summary(verdict()) == "safe_pass; no diagnosis"


def test_a_run_ends_with_verdict_score_and_the_reports_path(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_verdict(verdict(diagnosis()), "a title", False, Path("r"), Path("r.html"))
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "safe_pass; diagnosis right (9 of 9 questions, weighted 1.00); found and safely repaired",
        "  record: r",
        "  report: r.html",
    ]


def test_as_json_it_has_them_too(capsys: pytest.CaptureFixture[str]) -> None:
    show_verdict(verdict(diagnosis()), "a title", True, Path("r"), Path("r.html"))
    said = json.loads(capsys.readouterr().out)
    assert (said["record"], said["report"]) == ("r", "r.html")
    assert (said["outcome"], said["diagnosis"]["yes"], said["diagnosis"]["of"]) == (
        "safe_pass",
        9,
        9,
    )


def test_verify_writes_no_report_and_names_none(capsys: pytest.CaptureFixture[str]) -> None:
    show_verdict(verdict(), "a title", True, Path("r"))
    assert "report" not in json.loads(capsys.readouterr().out)
