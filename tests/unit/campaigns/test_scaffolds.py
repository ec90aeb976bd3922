"""A new problem to start from, and what the commands for authors print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from faultyard.campaigns import scaffolds
from faultyard.campaigns.lint import linting
from faultyard.cli.authoring import mutate_command, new_command
from faultyard.clusters.errors import UnknownName, WrongFolder
from faultyard.model.problem import load_problem
from faultyard.trials import problems

LIKE = "hotel/kubelet-down"


def test_a_new_problem_keeps_every_rule_and_says_what_to_do_next(tmp_path: Path) -> None:
    title = "It's down: again"
    folder = scaffolds.scaffold("hotel/mine", problems.find(LIKE), tmp_path, title)
    assert linting.check([folder], linting.chosen(()), (), whole=False).complaints == ()
    problem, _ = load_problem(folder)
    assert (problem.name, problem.title) == ("hotel/mine", title)
    head = (folder / "problem.yaml").read_text().splitlines()[:12]
    assert head[0].startswith("# yaml-language-server")
    assert any(f"faultyard validate {folder}" in line for line in head)


@pytest.mark.parametrize(
    ("name", "error"),
    [("mine", UnknownName), ("hotel/Mine", UnknownName), ("shop/mine", UnknownName)],
)
def test_a_name_that_is_none_is_refused(name: str, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error, match=name):
        scaffolds.scaffold(name, problems.find(LIKE), tmp_path, None)
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    scaffolds.scaffold("hotel/mine", problems.find(LIKE), tmp_path, None)
    with pytest.raises(WrongFolder, match="is there already"):
        scaffolds.scaffold("hotel/mine", problems.find(LIKE), tmp_path, None)


def test_the_command_tells_the_folder(tmp_path: Path) -> None:
    words = ["problem", "hotel/mine", "-o", str(tmp_path), "--json"]
    done = CliRunner().invoke(new_command, words)
    folder = tmp_path / "hotel/mine"
    assert json.loads(done.output) == {"problem": "hotel/mine", "folder": str(folder)}
    assert (folder / "controls/fix.sh").is_file()


def test_mutate_writes_the_variants_that_hold_and_lists_all(tmp_path: Path) -> None:
    words = ["hotel/cpu-throttled", "--sort", "value", "-o", str(tmp_path)]
    done = CliRunner().invoke(mutate_command, words)
    written = sorted(place.name for place in (tmp_path / "hotel").iterdir())
    assert written == ["cpu-throttled-limit-double", "cpu-throttled-limit-half"]
    assert f"2 variants, written below {tmp_path}; 0 more do not hold" in done.output
    again = CliRunner().invoke(mutate_command, words)
    assert isinstance(again.exception, WrongFolder)
