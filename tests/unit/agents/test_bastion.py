"""The on-call tools from a shell, against the real server."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from faultyard.agents import bastion
from faultyard.tools.running import Finished
from unit.tools.conftest import Offer, offer
from unit.tools.fakes import TOKEN, FakeRunner, Offered

__all__ = ["offer"]


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """A folder with the commands as they lie on the agent's machine."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in bastion.COMMANDS:
        (folder / name).write_text((bastion.FOLDER / "oncall.py").read_text())
        (folder / name).chmod(0o755)
    return folder


def run(
    commands: Path, served: Offered | None, *words: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{commands}:{os.environ['PATH']}", "http_proxy": "http://127.0.0.1:1"}
    if served is not None:
        environment |= {"MCP_URL": served.server.url, "MCP_TOKEN": TOKEN}
    return subprocess.run(
        words, env=environment, input=stdin, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_tool_is_called_with_arguments_as_json(offer: Offer, commands: Path) -> None:
    served = offer(runner=FakeRunner(lambda _argv, _stdin: Finished(b"pod/a\n", b"", 0)))
    done = run(commands, served, "call-tool", "kubectl", '{"args": "get pods -o name"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, "pod/a\n", "")


def test_arguments_may_come_by_standard_input(offer: Offer, commands: Path) -> None:
    served = offer(runner=FakeRunner(lambda _argv, _stdin: Finished(b"pod/a\n", b"", 0)))
    done = run(commands, served, "call-tool", "kubectl", "-", stdin='{"args": "get pods"}')
    assert done.stdout == "pod/a\n"


def test_what_the_tool_refuses_is_an_exit_code_of_1_with_its_words(
    offer: Offer, commands: Path
) -> None:
    done = run(commands, offer(), "call-tool", "no_such_tool")
    assert done.returncode == 1
    assert "there are: kubectl, node_exec" in done.stdout


def test_a_cause_is_reported_by_options(offer: Offer, commands: Path) -> None:
    # The server of these tests takes a form of its own, and tells what it lacks.
    done = run(commands, offer(), "report-cause", "--component", "Node//a", "--impact", "none")
    assert done.returncode == 1
    assert "cause: Field required" in done.stderr


def test_a_cause_is_reported_from_a_file(offer: Offer, commands: Path, tmp_path: Path) -> None:
    served = offer()
    (tmp_path / "report.json").write_text('{"cause": "the port"}')
    done = run(commands, served, "report-cause", "--file", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert served.reports.diagnosis == {"cause": "the port"}


def test_options_become_one_cause_and_what_belongs_to_the_whole(
    offer: Offer, commands: Path
) -> None:
    served = offer()
    words = ["--component", "Service/shop/cart", "--observed", "9090", "--mechanism", "x"]
    words += ["--affected", "web", "--affected", "api", "--impact", "requests_fail"]
    run(commands, served, "report-cause", *words, "--evidence", "seen")
    assert served.logged()[0]["arguments"] == {
        "causes": [{"component": "Service/shop/cart", "observed": "9090", "mechanism": "x"}],
        "affected": ["web", "api"],
        "impact": ["requests_fail"],
        "evidence": ["seen"],
    }


def test_the_turn_is_resolved_with_a_sentence(offer: Offer, commands: Path) -> None:
    served = offer()
    done = run(commands, served, "resolve", "Set", "the", "port.")
    assert done.returncode == 0
    assert "No cause was reported" in done.stdout
    assert served.reports.resolution == "Set the port."
    assert served.end.reason == "resolve"


@pytest.mark.parametrize(
    "words",
    [
        ["report-cause"],
        ["report-cause", "--file", "/none"],
        ["report-cause", "--file", "-", "--impact", "none"],
        ["call-tool"],
        ["call-tool", "kubectl", "{"],
    ],
)
def test_wrong_usage_is_told_and_nothing_is_called(
    offer: Offer, commands: Path, words: list[str]
) -> None:
    served = offer()
    done = run(commands, served, *words)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")
    assert served.logged() == []


def test_where_there_are_no_tools_it_says_so(commands: Path) -> None:
    done = run(commands, None, "resolve")
    assert done.returncode == 3
    assert "MCP_URL" in done.stderr


def test_a_wrong_token_is_told(offer: Offer, commands: Path) -> None:
    served = offer()
    done = subprocess.run(
        ["call-tool", "events"],
        env={"PATH": str(commands), "MCP_URL": served.server.url, "MCP_TOKEN": "no"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "unauthorized" in done.stderr


def test_the_file_is_a_program_that_names_nothing_but_the_company() -> None:
    text = (bastion.FOLDER / "oncall.py").read_text()
    assert text.startswith("#!/usr/bin/python3 -I\n")
    assert not [w for w in ("faultyard", "fault ", "chaos", "trial", "bench") if w in text.lower()]
