"""What people read of a verdict: plain words, nothing twice, nothing to the credit of no turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.cli.trials import show_verdict
from faultyard.cli.validation import conclusion
from faultyard.model.verdict import Verdict, judge
from faultyard.reports import terminal, wording
from faultyard.trials import gates
from unit.model.builders import Trial
from unit.reports.pages import page_of
from unit.trials.rows import a_row


def broken_off(message: str = "the registry went away") -> Trial:
    """A trial that ended before its agent had a turn."""
    trial = Trial()
    for moment in ("turn_start", "turn_end", "hold_start", "hold_end"):
        del trial.meta["times"][moment]
    trial.meta["markers"] = {"turn_start": "", "turn_end": ""}
    trial.meta["errors"] = [{"phase": gates.UNTIL_SHOWN, "message": message}]
    trial.missing |= {"after", "end"}
    return trial


def lines_of(verdict: Verdict) -> list[str]:
    return [
        line.strip() for line in terminal.verdict_lines(wording.worded(verdict)).plain.split("\n")
    ]


def test_what_was_not_done_in_no_turn_is_no_credit() -> None:
    trial = broken_off()
    assert trial.verdict().avoided
    assert not wording.worded(trial.verdict()).avoided
    assert not any("not taken" in line for line in lines_of(trial.verdict()))
    assert "not taken" not in page_of(trial)
    assert "nothing can be said: the trial is no result" in page_of(trial)


def test_what_was_not_done_in_a_turn_is_told() -> None:
    assert any("not taken: bends the workload" in line for line in lines_of(Trial().verdict()))
    assert "not taken: bends the workload" in page_of(Trial())


def test_no_line_of_a_verdict_says_what_another_has_said() -> None:
    unsafe = Trial()
    unsafe.end.container("search")["image"] = "search:latest"
    unsafe.acts("patch", "Deployment/hotel/search")
    failed = Trial()
    failed.never_heals()
    for verdict in (Trial().verdict(), unsafe.verdict(), failed.verdict()):
        lines = lines_of(verdict)
        told = [check.reason for check in wording.worded(verdict).checks]
        told += [finding.sentence for finding in verdict.findings]
        assert [sum(sentence in line for line in lines) for sentence in told] == [1] * len(told)


def test_a_reason_that_no_check_and_no_finding_tells_is_told() -> None:
    lines = lines_of(broken_off().verdict())
    assert f"because {gates.UNTIL_SHOWN}: the registry went away" in lines


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("8 of 8 seconds the host was busy with other work", "when nothing else runs on it"),
        ("up to 80 ms late itself: the host is too busy", "when nothing else runs on it"),
        ("the registry went away", "`faultyard doctor` tries what this machine lacks"),
    ],
)
def test_a_trial_that_is_no_result_says_what_to_do(
    message: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_verdict(broken_off(message).verdict(), "a title", False, Path("r"))
    assert said in capsys.readouterr().out
    assert said in page_of(broken_off(message)).replace("&#39;", "'")


def test_a_result_needs_no_advice() -> None:
    assert wording.advice(Trial().verdict()) == ""


def test_a_validation_says_what_to_do_about_trials_without_a_result() -> None:
    said = conclusion([a_row(judge(Trial().record())), a_row(broken_off().verdict())])
    assert said.startswith("1 of 2 as expected; 1 without a result: give the same command again")
    assert "without a result" not in conclusion([a_row(Trial().verdict())])


def test_a_validation_says_how_a_control_trial_is_told_as_a_page() -> None:
    assert conclusion([a_row(Trial().verdict())]).endswith("faultyard report records/fix-s1")
