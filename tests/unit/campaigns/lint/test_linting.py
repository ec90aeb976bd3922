"""Selecting rules, letting complaints be, and what the command prints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from faultyard.campaigns import fingerprints, validity
from faultyard.campaigns.lint import ignores, linting
from faultyard.campaigns.lint.ignores import Ignore
from faultyard.campaigns.lint.rule import rules
from faultyard.cli.lint import lint_command
from faultyard.clusters.errors import UnknownName
from faultyard.model.errors import DescriptionError
from faultyard.model.validity import ControlRow
from faultyard.trials import problems
from unit.model.test_validity import a_row

PROBLEM = "hotel/wrong-target-port"
REASON = "there is no other way to repair it"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A problem with a script that nobody runs."""
    made = tmp_path / PROBLEM
    shutil.copytree(problems.ROOT / PROBLEM, made)
    (made / "controls/spare.sh").write_text("true\n")
    return made


def an_ignore(folder: Path, **parts: str) -> Ignore:
    return Ignore(**{"rule": "controls-missing", "place": str(folder), "reason": REASON, **parts})


def test_a_rule_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UnknownName, match="no rule nonsense; there are: alert-names-answer, "):
        linting.chosen(["nonsense"])


def test_only_selected_rules_look(folder: Path) -> None:
    assert not linting.check([folder], linting.chosen(["schema"]), [], False).complaints
    assert linting.check([folder], linting.chosen(["controls-missing"]), [], False).complaints


def test_what_is_ignored_is_no_complaint_and_is_listed_with_its_reason(folder: Path) -> None:
    ignore = an_ignore(folder, says="no control agent runs")
    result = linting.check([folder], linting.chosen([]), [ignore], whole=True)
    assert result.complaints == ()
    assert [known.reason for _, known in result.ignored] == [REASON]


@pytest.mark.parametrize(
    "parts", [{"rule": "schema"}, {"place": "elsewhere"}, {"says": "something else"}]
)
def test_an_entry_that_fits_nothing_lets_nothing_be_and_is_told(
    parts: dict[str, str], folder: Path
) -> None:
    ignore = an_ignore(folder, **parts)
    result = linting.check([folder], linting.chosen([]), [ignore], whole=True)
    assert [complaint.rule for complaint in result.complaints] == [
        "controls-missing",
        "ignore-unused",
    ]
    some = linting.check([folder], linting.chosen([]), [ignore], whole=False)
    assert [complaint.rule for complaint in some.complaints] == ["controls-missing"]


def test_an_ignore_without_a_reason_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "ignores.yaml"
    file.write_text("ignores:\n  - {rule: schema, place: problems, reason: none}\n")
    with pytest.raises(DescriptionError, match=r"ignores.yaml:2: ignores.0.reason"):
        ignores.read(file)


def test_all_problems_keep_all_rules_or_say_why_not() -> None:
    """But for stale rows: whoever changes a problem has them until its trials have run again."""
    selected = [word for name in sorted(rules()) for word in ("--select", name)]
    place = selected.index("rows-stale")
    del selected[place - 1 : place + 1]
    done = CliRunner().invoke(lint_command, selected)
    assert done.exit_code == 0, done.output
    looked = f"{len(problems.names())} problems, {len(rules()) - 1} rules"
    assert f"{looked}: 0 complaints" in done.output


def test_a_complaint_says_where_what_and_what_to_do(folder: Path) -> None:
    done = CliRunner().invoke(lint_command, [str(folder)])
    assert done.exit_code == 1
    place = folder / "controls/spare.sh"
    assert f"{place}: controls-missing: no control agent runs this script\n  State" in done.output


def test_complaints_are_told_as_data(folder: Path) -> None:
    arguments = [str(folder), "--select", "controls-missing", "--json"]
    done = CliRunner().invoke(lint_command, arguments)
    told = json.loads(done.output)
    assert done.exit_code == 1
    assert told["ignored"] == []
    assert [sorted(complaint) for complaint in told["complaints"]] == [
        ["message", "place", "rule", "what_to_do"]
    ]


def test_the_rules_are_listed_with_what_they_demand() -> None:
    listed = CliRunner().invoke(lint_command, ["--rules"]).output
    assert all(f"\n{name} " in listed for name in rules())


def rows_told(rows: list[ControlRow], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(validity, "read", lambda: validity.Rows(rows, []))
    folder = problems.ROOT / PROBLEM
    result = linting.check([folder], linting.chosen(["rows-stale"]), [], whole=False)
    return [complaint.message for complaint in result.complaints]


def test_rows_that_rest_on_older_code_and_rows_that_are_missing_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = problems.find(PROBLEM)
    now = fingerprints.of_control_trials(found)
    row = a_row("fix", problem=PROBLEM, fingerprint=now)
    fresh = [row.model_copy(update={"agent": c.agent}) for c in found.problem.controls]
    assert rows_told(fresh, monkeypatch) == []
    older = row.model_copy(update={"fingerprint": "then"})
    elsewhere = row.model_copy(update={"fingerprint": "then", "problem": "hotel/other"})
    assert rows_told([*fresh, older, elsewhere], monkeypatch) == [
        f"1 rows of {PROBLEM} rest on other code or another problem than today's"
    ]
    assert rows_told(fresh[1:], monkeypatch) == [f"no fresh row of {PROBLEM} for noop"]


def test_rows_of_a_problem_that_lies_elsewhere_are_not_ours_to_miss(folder: Path) -> None:
    assert not linting.check([folder], linting.chosen(["rows-stale"]), [], False).complaints
