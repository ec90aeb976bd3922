"""A turn with its tools, on a cell that is played: how it ends, and what is written down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from faultyard.agents.agent import Turn
from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Exit
from faultyard.model.diagnosis import submission
from faultyard.trials import toolbox, turn
from faultyard.trials.timeline import Timeline
from faultyard.trials.turn import TakenTurn
from unit.tools.fakes import call, connect


@dataclass
class PlayedSandbox:
    variables: dict[str, str]
    stops: int = 0

    def __enter__(self) -> PlayedSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def stop(self) -> None:
        self.stops += 1


@dataclass
class PlayedAgent:
    act: Callable[[Turn], Exit]
    name: str = "played"
    turns: list[Turn] = field(default_factory=list)

    def take_turn(self, given: Turn) -> Exit:
        self.turns.append(given)
        return self.act(given)


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


@pytest.fixture
def take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeline: Timeline
) -> Callable[..., TakenTurn]:
    """Gives an agent a turn in which everything of the cell is played."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(toolbox, "ADDRESS", ("127.0.0.1", port))
    session = SimpleNamespace(
        username="oncall",
        credential_id="X",
        session_objects=(),
        api=lambda: SimpleNamespace(close=lambda: None),
        close=lambda _note: (),
    )
    cell = SimpleNamespace(
        entered=contextlib.nullcontext,
        api=contextlib.nullcontext,
        node_layouts=[SimpleNamespace(name="worker-1")],
    )
    monkeypatch.setattr(turn, "Session", SimpleNamespace(open=lambda *_, **__: session))
    opened: Any = SimpleNamespace(open=lambda *_, **given: PlayedSandbox(given["variables"]))
    monkeypatch.setattr(turn, "Sandbox", opened)

    def act(agent: PlayedAgent) -> TakenTurn:
        taken = TakenTurn(tmp_path / "agent", ())
        problem: Any = SimpleNamespace(
            limits=SimpleNamespace(turn_s=60), alert="The alert.", environment=lambda: {"A": "b"}
        )
        artifacts: Any = SimpleNamespace(binary=Path)
        audit: Any = SimpleNamespace(mark=lambda _api: "nonce")
        played: Any = cell
        turn.take_turn(taken, played, artifacts, problem, agent, audit, timeline)
        return taken

    return act


def using(name: str, **arguments: Any) -> Callable[[Turn], Exit]:
    """An agent that makes one call and exits with 0."""

    def act(given: Turn) -> Exit:
        variables = given.sandbox.variables

        async def run() -> None:
            async with AsyncExitStack() as stack:
                client = await connect(stack, variables["MCP_URL"], variables["MCP_TOKEN"])
                assert (await call(client, name, arguments))[0] is False

        asyncio.run(run())
        return Exit(0, "exit")

    return act


def test_a_turn_that_was_resolved_says_so(take: Callable[..., TakenTurn], tmp_path: Path) -> None:
    taken = take(PlayedAgent(using("resolve", summary="done")))
    assert (taken.end_reason, taken.exit_code) == ("resolve", 0)
    assert json.loads((tmp_path / "agent/resolution.json").read_text())["summary"] == "done"
    assert not (tmp_path / "agent/diagnosis.json").exists()
    (line,) = (tmp_path / "agent/calls.jsonl").read_text().splitlines()
    assert json.loads(line)["tool"] == "resolve"


@pytest.mark.parametrize(
    ("end", "reason"), [(Exit(3, "exit"), "exit"), (Exit(None, "limit"), "limit")]
)
def test_a_turn_that_no_tool_ended_ends_as_the_program_did(
    take: Callable[..., TakenTurn], end: Exit, reason: str
) -> None:
    taken = take(PlayedAgent(lambda _turn: end))
    assert (taken.end_reason, taken.exit_code) == (reason, end.code)


def test_a_turn_whose_agent_was_called_wrongly_never_began(
    take: Callable[..., TakenTurn], timeline: Timeline
) -> None:
    def act(_given: Turn) -> Exit:
        raise UsageError("no such program")

    with pytest.raises(UsageError):
        take(PlayedAgent(act))
    assert not {"turn_start", "turn_end"} & set(timeline.times)


def test_after_its_word_the_program_is_ended_within_the_grace(
    take: Callable[..., TakenTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolbox, "GRACE_S", 0)

    def act(given: Turn) -> Exit:
        using("resolve")(given)
        sandbox: Any = given.sandbox
        while not sandbox.stops:
            given.end.wait(0.01)
        return Exit(None, "stopped")

    assert take(PlayedAgent(act)).end_reason == "resolve"


def test_a_diagnosis_is_written_as_records_are_read(
    take: Callable[..., TakenTurn], tmp_path: Path
) -> None:
    given = submission.json_schema()["examples"][0]
    take(PlayedAgent(using("report_cause", **given)))
    kept = json.loads((tmp_path / "agent/diagnosis.json").read_text())
    read = submission.RecordedDiagnosis.model_validate(kept)
    assert read.diagnosis == submission.read(given)


def test_the_parameters_still_reach_the_agent(take: Callable[..., TakenTurn]) -> None:
    agent = PlayedAgent(lambda _turn: Exit(0, "exit"))
    take(agent)
    assert agent.turns[0].parameters == {"A": "b"}
    assert agent.turns[0].end.reason == "exit"
