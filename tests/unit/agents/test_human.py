"""A person's turn, on a sandbox that is played; and words from another terminal."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from faultyard.agents import human
from faultyard.agents.agent import Turn
from faultyard.agents.doors import SERVICES, Doors, Service
from faultyard.agents.errors import UsageError
from faultyard.agents.human import Human
from faultyard.agents.processes import Exit, Program
from faultyard.agents.terminal import Terminal
from faultyard.cli.turns import report_cause_command, resolve_command
from unit.tools.conftest import Offer, offer
from unit.tools.fakes import TOKEN, Offered

__all__ = ["offer"]


@dataclass
class PlayedSandbox:
    """Runs the shell here; `meanwhile` is called when it has started."""

    meanwhile: Callable[[], None] = lambda: None
    variables: dict[str, str] = field(default_factory=lambda: {"MCP_TOKEN": TOKEN})
    namespaces: Any = field(default_factory=lambda: type("N", (), {"entered": nullcontext}))

    def run_with(self, program: Program, terminal: Terminal, *, limit_s: float) -> Exit:
        descriptors = terminal.open()
        process = subprocess.Popen(
            program.argv,
            stdin=descriptors[0],
            stdout=descriptors[1],
            stderr=descriptors[2],
            start_new_session=True,
            # Nobody's start-up files.
            env={**program.env, "PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        )
        for fd in descriptors:
            os.close(fd)
        terminal.begin(process)
        try:
            self.meanwhile()
            return Exit(process.wait(limit_s), "exit")
        finally:
            process.kill()
            process.wait()
            terminal.finish()


@pytest.fixture
def keys() -> Iterator[tuple[int, int]]:
    """What is typed: its reading and its writing end."""
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


@pytest.fixture
def doors_to(monkeypatch: pytest.MonkeyPatch) -> Callable[[Offered], None]:
    """Has the door to the tools lead to a server of this test's."""

    def lead(served: Offered) -> None:
        mcp = SERVICES[0]
        address = served.server.url.removeprefix("http://").removesuffix(mcp.start)
        there = Service(mcp.name, address, mcp.start, mcp.allowed, mcp.token_behind)
        monkeypatch.setattr(human, "Doors", lambda token, enter: Doors(token, enter, [there]))

    return lead


def take(sandbox: PlayedSandbox, keys: int, folder: Path) -> tuple[Exit, str]:
    folder.mkdir(parents=True)
    screen = os.open(folder / "screen", os.O_CREAT | os.O_WRONLY)
    played: Any = sandbox
    turn = Turn(played, "Bookings fail.", 60, folder / "stdout.txt", folder / "stderr.txt")
    ended = Human(keys, screen).take_turn(turn)
    os.close(screen)
    return ended, (folder / "screen").read_text()


def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder with one cell; returns the folder of the output of the turn in it."""
    monkeypatch.setenv("FAULTYARD_STATE", str(tmp_path))
    return tmp_path / "cells/run-1/agent"


def test_a_person_sees_the_alert_and_the_time_and_works_at_a_shell(
    offer: Offer,
    doors_to: Callable[[Offered], None],
    keys: tuple[int, int],
    tmp_path: Path,
) -> None:
    doors_to(offer())
    os.write(keys[1], b"echo $((40 + 2)) words\nexit 3\n")
    os.close(keys[1])
    ended, shown = take(PlayedSandbox(), keys[0], tmp_path / "agent")
    assert ended == Exit(3, "exit")
    assert shown.index("Bookings fail.") < shown.index("(1 minutes)") < shown.index("42 words")
    assert f"Authorization: Bearer {TOKEN}" in shown
    assert "Your turn is over (exit)" in shown
    assert "42 words" in (tmp_path / "agent/stdout.txt").read_text()
    assert (tmp_path / "agent/stderr.txt").read_text() == ""


def test_an_interrupt_ends_the_turn_and_not_the_trial(
    keys: tuple[int, int], tmp_path: Path
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    ended, _ = take(PlayedSandbox(interrupt), keys[0], tmp_path / "agent")
    os.close(keys[1])
    assert ended == Exit(130, "exit")
    assert not (tmp_path / "agent/turn.json").exists()


def test_another_terminal_reports_and_resolves_by_the_same_tools(
    offer: Offer,
    doors_to: Callable[[Offered], None],
    keys: tuple[int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served, folder = offer(), state(tmp_path, monkeypatch)
    doors_to(served)
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"cause": "the port"}))
    said = []

    def elsewhere() -> None:
        assert (folder / "turn.json").stat().st_mode & 0o077 == 0
        command: click.Command
        for command, words in (
            (report_cause_command, ["--file", str(report)]),
            (resolve_command, ["-c", "run-1", "Set", "the", "port."]),
        ):
            done = CliRunner().invoke(command, words)
            said.append((done.exit_code, done.output))
        os.close(keys[1])

    take(PlayedSandbox(elsewhere), keys[0], folder)
    assert [code for code, _ in said] == [0, 0], said
    assert served.reports.diagnosis == {"cause": "the port"}
    assert served.reports.resolution == "Set the port."
    assert not (folder / "turn.json").exists()


def test_where_no_turn_goes_on_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state(tmp_path, monkeypatch)
    with pytest.raises(UsageError, match="no turn of the agent human"):
        human.find()


def test_of_several_turns_one_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTYARD_STATE", str(tmp_path))
    for name in ("run-1", "run-2"):
        folder = tmp_path / "cells" / name / "agent"
        folder.mkdir(parents=True)
        (folder / "turn.json").write_text(json.dumps({"url": f"http://{name}", "token": "t"}))
    with pytest.raises(UsageError, match="run-1, run-2"):
        human.find()
    assert human.find("run-2").url == "http://run-2"


@pytest.mark.parametrize("command", [report_cause_command, resolve_command])
def test_help_is_that_of_the_command_in_the_shell(command: click.Command) -> None:
    done = CliRunner().invoke(command, ["--help"])
    assert done.exit_code == 0
    assert "usage: " in done.output
