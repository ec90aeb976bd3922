import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from faultyard.agents.errors import UsageError
from faultyard.cli import errors, main
from faultyard.cli.cells import down_command
from faultyard.clusters.embedded.artifacts import NotRoot
from faultyard.clusters.errors import NotReady, Refused, UnknownName, WrongFolder
from faultyard.model.errors import ClosedRecord, DamagedRecord, DescriptionError, NoRecord
from unit.cli.forked import Way, faultyard
from unit.model.builders import Trial, written
from unit.reports.pages import record_of

AS_NOBODY = Way(nobody=True)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused("no"), 3),
        (NotReady("x", 1, "y"), 3),
        (DescriptionError("app.yaml", "wrong", "mend it"), 2),
        (DamagedRecord("record", ["cut off"]), 3),
        (NoRecord("/tmp"), 2),
        (ClosedRecord("/tmp", "/tmp/trial.json"), 2),
        (NotRoot("use sudo"), 2),
        (UnknownName("no such cell"), 2),
        (WrongFolder("it holds a record"), 2),
        (UsageError("which agent?"), 2),
        (OSError(errno.ENOSPC, "No space left on device"), 3),
        (OSError(errno.ENOENT, "No such file or directory"), None),
        (ValueError("a mistake of ours"), None),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: Exception, code: int | None) -> None:
    assert errors.exit_code(error) == code


def test_help_lists_every_command() -> None:
    argv = [sys.executable, "-m", "faultyard", "--help"]
    environment = {**os.environ, "PYTHONPATH": str(Path(main.__file__).parents[2])}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0
    assert all(name in done.stdout for name in main.COMMANDS)


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = CliRunner().invoke(main.cli, [name, "--help"])
    assert done.exit_code == 0
    assert len(done.output.splitlines()) > 2


def test_a_mistake_in_usage_names_the_command_as_people_call_it() -> None:
    done = faultyard("run", "hotel/wrong-target-port")
    assert done.returncode == 2
    assert done.stderr.startswith("error: missing option '-a' / '--agent'.\n")
    assert "Usage: faultyard run " in done.stderr
    assert "try: faultyard run --help" in done.stderr


@pytest.mark.parametrize("command", ["verify", "report"])
def test_a_folder_that_is_no_record_is_said_to_be_none_and_is_not_read(command: str) -> None:
    done = faultyard(command, "/proc")
    assert done.returncode == 2
    assert "/proc is no record" in done.stderr


def test_an_unknown_problem_is_a_sentence_and_not_a_traceback() -> None:
    done = faultyard("show", "hotel/nothing-like-it")
    assert done.returncode == 2
    assert "no problem hotel/nothing-like-it; there are: " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_cell_is_a_sentence_and_not_a_traceback() -> None:
    done = faultyard("kubectl", "-c", "nowhere", "--", "get", "pods")
    assert done.returncode == 2
    assert "no cell named nowhere is up" in done.stderr


def test_alert_and_limits_are_all_that_show_tells_without_answer() -> None:
    done = faultyard("show", "hotel/wrong-target-port", "--seed", "1")
    assert "Meridian" in done.stdout
    assert done.stdout.endswith("after 30 minutes or 200 calls of tools at the latest.\n")
    assert "targetPort" not in done.stdout


def test_alert_and_limits_are_told_as_data() -> None:
    done = CliRunner().invoke(main.cli, ["show", "hotel/wrong-target-port", "--json"])
    told = json.loads(done.output)
    assert sorted(told) == ["alert", "limits", "name"]
    assert told["limits"] == {"turn_s": 1800, "calls": 200}


def test_a_folder_that_no_agent_may_see_is_refused_before_a_cluster_is_made() -> None:
    here = str(Path(__file__).parent)
    options = ["-a", "command", "--mount", here, "--", "true"]
    done = faultyard("run", "hotel/wrong-target-port", *options)
    assert done.returncode == 2
    assert "cannot be shown to an agent" in done.stderr


def test_a_validation_of_no_seeds_is_refused() -> None:
    done = faultyard("validate", "hotel/wrong-target-port", "--seeds", "0")
    assert done.returncode == 2
    assert "--seeds" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "hotel/wrong-target-port", "-a", "noop", "-o", "OUTPUT"),
        ("validate", "hotel/wrong-target-port", "-o", "OUTPUT"),
        ("up", "mine"),
        ("down",),
        ("down", "--all"),
        ("status",),
        ("kubectl", "--", "get", "pods"),
        ("ssh", "worker-1"),
        ("resolve", "done"),
    ],
)
def test_who_is_not_root_is_told_so_before_anything_is_made(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    output = tmp_path / "record"
    given = [str(output) if word == "OUTPUT" else word for word in arguments]
    done = faultyard(*given, way=AS_NOBODY)
    assert done.returncode == 2
    assert done.stderr.startswith("error: this needs root")
    assert "sudo" in done.stderr
    assert "doctor tries" in done.stderr
    assert not output.exists()


def test_problems_and_records_are_for_everybody(tmp_path: Path) -> None:
    record = sealed(tmp_path / "fix-s1")
    for arguments in (
        ("list", "problems"),
        ("show", "hotel/wrong-target-port"),
        ("verify", str(record)),
        ("report", str(record)),
    ):
        assert faultyard(*arguments, way=AS_NOBODY).returncode == 0, arguments


def sealed(folder: Path) -> Path:
    return written(folder, record_of(Trial()))


def verified(record: Path, *options: str) -> tuple[dict[str, object], str]:
    done = CliRunner().invoke(main.cli, ["verify", str(record), "--json", *options])
    assert done.exit_code == 0
    return json.loads(done.stdout), done.stderr


def test_a_verdict_in_spite_of_a_broken_seal_names_the_files_that_differ(tmp_path: Path) -> None:
    record = sealed(tmp_path / "fix-s1")
    (record / "client.jsonl").write_bytes(b"")
    (record / "alert.txt").write_text("more")
    told, warned = verified(record, "--unsealed")
    assert told["sealed"] is False
    assert told["differing_files"] == ["alert.txt", "client.jsonl"]
    assert "seal is broken" in warned
    assert "client.jsonl is not the file that was sealed" in warned


@pytest.mark.parametrize("options", [(), ("--unsealed",)])
def test_a_verdict_says_that_the_record_is_sealed(tmp_path: Path, options: tuple[str, ...]) -> None:
    told, warned = verified(sealed(tmp_path / "fix-s1"), *options)
    assert told["sealed"] is True
    assert told["differing_files"] == []
    assert not warned


@pytest.mark.parametrize(
    ("command", "closed"), [("verify", "trial.json"), ("verify", "snapshots"), ("report", ".")]
)
def test_a_record_that_may_not_be_read_is_said_to_be_closed_and_not_damaged(
    command: str, closed: str, tmp_path: Path
) -> None:
    record = sealed(tmp_path / "fix-s1")
    (record / closed).chmod(0)
    done = faultyard(command, str(record), way=AS_NOBODY)
    assert done.returncode == 2
    assert "damaged" not in done.stderr
    assert re.search(r"may not be read by this user|is not readable", done.stderr)


def test_a_record_in_a_closed_folder_is_not_said_to_be_missing(tmp_path: Path) -> None:
    record = sealed(tmp_path / "closed/fix-s1")
    (tmp_path / "closed").chmod(0)
    done = faultyard("verify", str(record), way=AS_NOBODY)
    assert done.returncode == 2
    assert "may not look at" in done.stderr


@pytest.mark.parametrize("output", ["/proc/nope", "/etc/passwd", "/etc/passwd/below", "/sys/a/b"])
@pytest.mark.parametrize("command", [("run", "-a", "noop"), ("validate",)])
def test_an_output_folder_that_cannot_be_made_is_refused_before_a_cluster_is_made(
    command: tuple[str, ...], output: str
) -> None:
    name, *options = command
    arguments = [name, *options, "hotel/wrong-target-port", "-o", output]
    done = CliRunner().invoke(main.cli, arguments)
    assert done.exit_code == 2
    assert f"nothing can be written to {output} (" in done.output


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    done = faultyard("run", "hotel/wrong-target-port", "-a", "noop", "-o", str(tmp_path))
    assert done.returncode == 2
    assert (tmp_path / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("seed", ["-1", "0", "99999999999", "one"])
@pytest.mark.parametrize("command", [("run", "-a", "noop"), ("show",)])
def test_a_seed_is_a_number_from_1_on(command: tuple[str, ...], seed: str) -> None:
    done = CliRunner().invoke(main.cli, [*command, "hotel/wrong-target-port", "--seed", seed])
    assert done.exit_code == 2
    assert "--seed" in done.output


def down(*arguments: str, state: Path, cells: tuple[str, ...] = ()) -> Result:
    for name in cells:
        (state / "cells" / name).mkdir(parents=True)
    environment = {"FAULTYARD_STATE": str(state)}
    return CliRunner(env=environment).invoke(down_command, list(arguments))


def test_down_without_a_name_leaves_the_cell_of_a_trial_alone(tmp_path: Path) -> None:
    done = down(state=tmp_path, cells=("run-12ab34",))
    assert done.exit_code == 2
    assert "the only cell, run-12ab34, is a trial's" in done.output
    assert (tmp_path / "cells/run-12ab34").is_dir()


def test_down_says_what_it_removes_and_when_there_is_nothing(tmp_path: Path) -> None:
    done = down(state=tmp_path, cells=("main",))
    assert (done.exit_code, done.output) == (0, "removing main\n")
    assert not (tmp_path / "cells/main").exists()
    assert down(state=tmp_path).output == "no cells\n"
