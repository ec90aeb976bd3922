"""Errors say what happened and what to do, to people and to programs alike."""

import errno
import json
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from faultyard.cli import errors, main
from faultyard.cli.cells import up_command
from faultyard.clusters.embedded.artifacts import NotRoot
from faultyard.clusters.errors import NotReady, Refused, UnknownName
from faultyard.model.errors import DamagedRecord, DescriptionError, NoRecord
from faultyard.model.record import parse_record
from unit.model.builders import Trial

ROOT = Path(main.__file__).parents[3]


def leave(
    error: Exception,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, str, str]:
    """What a command line comes to that meets this error: exit code, output, error output."""

    def fails(**_: object) -> None:
        raise error

    monkeypatch.setattr(main.cli, "main", fails)
    monkeypatch.setattr("sys.argv", ["faultyard", *words.split()])
    with pytest.raises(SystemExit) as left:
        main.main()
    said = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, said.out, said.err


@pytest.mark.parametrize(
    ("error", "code", "what_to_do"),
    [
        (DescriptionError("app.yaml", "wrong", "Mend it."), 2, "Mend it."),
        (NoRecord("/tmp"), 2, "A record is the folder that `faultyard run` names at its end."),
        (NotReady("x", 1, "y", "Look there."), 3, "Look there."),
        (NotRoot("cells are mounts"), 2, NotRoot.what_to_do),
        (UnknownName("no such cell"), 2, "Correct the command; its --help tells what it takes."),
        (Refused("no"), 3, errors._BY_CODE[3]),
        (OSError(errno.ENOSPC, "No space left on device"), 3, errors._BY_CODE[3]),
        (click.UsageError("which one?"), 2, "Correct the command; its --help tells what it takes."),
        (KeyboardInterrupt(), 130, "Give the command again."),
    ],
)
def test_with_json_an_error_is_an_object_with_what_to_do(
    error: Exception,
    code: int,
    what_to_do: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    got, out, err = leave(error, "verify x --json", monkeypatch, capsys)
    told = json.loads(out)
    assert got == code
    assert sorted(told) == ["error", "what_to_do"]
    assert told["error"]
    assert told["what_to_do"] == what_to_do
    assert not err


@pytest.mark.parametrize("words", ["verify x", "kubectl -- get pods --json"])
def test_without_json_an_error_is_a_sentence_on_standard_error(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for error in (UnknownName("no such cell"), click.UsageError("No such cell")):
        assert leave(error, words, monkeypatch, capsys) == (2, "", "error: no such cell\n")


def test_a_mistake_of_ours_keeps_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="ours"):
        leave(ValueError("ours"), "verify x --json", monkeypatch, capsys)


@pytest.mark.parametrize("arguments", [["BAD_NAME"], ["a" * 41], ["mine", "--nodes", "0"]])
def test_a_cell_that_cannot_be_is_wrong_usage(arguments: list[str]) -> None:
    done = CliRunner().invoke(up_command, arguments)
    assert done.exit_code == 2


def test_advice_on_a_record_that_cannot_be_read_does_not_lead_in_a_circle() -> None:
    files = Trial().files() | {"client.jsonl": b"no JSON\n"}
    with pytest.raises(DamagedRecord) as sealed:
        parse_record(files, "record")
    assert "or --unsealed to recompute" in sealed.value.what_to_do
    with pytest.raises(DamagedRecord) as unsealed:
        parse_record(files, "record", unsealed=True)
    assert "with --unsealed it cannot be read either" in unsealed.value.what_to_do


@pytest.mark.parametrize("command", ["report-cause", "resolve"])
def test_help_on_a_turn_from_outside_tells_how_the_cell_is_named(command: str) -> None:
    told = CliRunner().invoke(main.cli, [command, "--help"])
    assert "-c CELL" in told.output


def test_help_on_run_tells_what_is_repeatable_and_where_records_go() -> None:
    width = {"terminal_width": 200}
    told = " ".join(CliRunner().invoke(main.cli, ["run", "--help"], **width).output.split())
    assert told.count("repeatable") == 2
    assert "default: records/PROBLEM-AGENT-sSEED-TIME" in told


@pytest.mark.parametrize(("what", "head"), [("problems", "NAME "), ("agents", "NAME ")])
def test_a_list_says_what_its_columns_are(what: str, head: str) -> None:
    lines = CliRunner().invoke(main.cli, ["list", what]).output.splitlines()
    assert lines[0].startswith(head)
    assert lines[0].index("TITLE") < len(lines[1])


def test_an_alert_reads_in_an_answer_as_it_does_alone() -> None:
    problem = "hotel/wrong-target-port"
    answer = CliRunner().invoke(main.cli, ["show", problem, "--answer"]).output
    alert = json.loads(CliRunner().invoke(main.cli, ["show", problem, "--json"]).output)["alert"]
    assert "alert: |\n" in answer
    assert "".join(f"  {line}\n" for line in alert.splitlines()) in answer


@pytest.mark.parametrize(
    ("validated", "ran", "code", "ends_with"),
    [(0, 0, 0, "run"), (1, 0, 1, "run"), (1, 3, 3, "run"), (2, 0, 2, "validate")],
)
def test_the_demo_goes_on_when_a_control_trial_is_not_as_expected(
    validated: int, ran: int, code: int, ends_with: str, tmp_path: Path
) -> None:
    """Its recipe alone: what it calls notes its name and ends as told."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/faultyard"
    program.write_text(
        f"#!/bin/sh\necho $1 >> called\n"
        f"case $1 in validate) exit {validated};; run) exit {ran};; esac\n"
    )
    program.chmod(0o755)
    done = subprocess.run(["make", "demo"], cwd=tmp_path, capture_output=True, check=False)
    called = (tmp_path / "called").read_text().split()
    assert called[-1] == ends_with
    assert (done.returncode != 0) == (code != 0)
    assert f"Error {code}" in done.stderr.decode() or code == 0
