import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from faultyard.agents.errors import UsageError
from faultyard.cli import main
from faultyard.clusters.errors import NotReady, Refused
from faultyard.model.errors import DamagedRecord, DescriptionError, NoRecord


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused("no"), 3),
        (NotReady("x", 1, "y"), 3),
        (DescriptionError("app.yaml", "wrong", "mend it"), 2),
        (DamagedRecord("record", ["cut off"]), 3),
        (NoRecord("/tmp"), 2),
        (UsageError("which agent?"), 2),
        (OSError(errno.ENOSPC, "No space left on device"), 3),
        (OSError(errno.ENOENT, "No such file or directory"), None),
        (ValueError("a mistake of ours"), None),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: Exception, code: int | None) -> None:
    assert main.exit_code(error) == code


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "faultyard", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(main.__file__).parents[2])}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


def test_help_lists_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in main.COMMANDS)


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = CliRunner().invoke(main.cli, [name, "--help"])
    assert done.exit_code == 0
    assert len(done.output.splitlines()) > 2


def test_a_mistake_in_usage_names_the_command_as_people_call_it() -> None:
    done = run("run", "hotel/wrong-target-port")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: faultyard run ")


@pytest.mark.parametrize("command", ["verify", "report"])
def test_a_folder_that_is_no_record_is_said_to_be_none_and_is_not_read(command: str) -> None:
    done = run(command, "/proc")
    assert done.returncode == 2
    assert "/proc is no record" in done.stderr


def test_an_unknown_problem_is_a_sentence_and_not_a_traceback() -> None:
    done = run("show", "hotel/nothing-like-it")
    assert done.returncode == 2
    assert "no problem hotel/nothing-like-it; there are: " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_cell_is_a_sentence_and_not_a_traceback() -> None:
    done = run("kubectl", "-c", "nowhere", "--", "get", "pods")
    assert done.returncode == 2
    assert "no cell named nowhere is up" in done.stderr


def test_the_alert_is_all_that_show_tells_without_answer() -> None:
    done = run("show", "hotel/wrong-target-port", "--seed", "1")
    assert "Meridian" in done.stdout
    assert "targetPort" not in done.stdout


def test_a_folder_that_no_agent_may_see_is_refused_before_a_cluster_is_made() -> None:
    here = str(Path(__file__).parent)
    options = ["-a", "command", "--mount", here, "--", "true"]
    done = run("run", "hotel/wrong-target-port", *options)
    assert done.returncode == 2
    assert "cannot be shown to an agent" in done.stderr


def test_a_validation_of_no_seeds_is_refused() -> None:
    done = run("validate", "hotel/wrong-target-port", "--seeds", "0")
    assert done.returncode == 2
    assert "--seeds" in done.stderr
