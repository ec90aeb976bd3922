"""The agent's turn: access and sandbox made, agent run, its processes ended, access refused."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from faultyard.agents.agent import Agent, Turn
from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Exit
from faultyard.agents.sandbox import Sandbox
from faultyard.agents.session import Session
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.node_sessions import Quiet
from faultyard.clusters.errors import ClusterError
from faultyard.evidence.auditlog import AuditLog
from faultyard.model.problem import RenderedProblem
from faultyard.tools.server import PATH
from faultyard.tools.turn_end import TurnEnd
from faultyard.trials import toolbox
from faultyard.trials.timeline import Timeline
from faultyard.trials.toolbox import Toolbox

GRACE_S = 600
"""How much longer than the turn the credentials are valid, in seconds."""


@dataclass
class TakenTurn:
    """What is known of the turn, filled as it goes."""

    folder: Path
    """Gets the agent's output: stdout.txt and stderr.txt."""
    private: tuple[Path, ...]
    """Folders that no agent may have mounted: the record's and the problem's."""
    healthy: dict[str, Quiet] = field(default_factory=dict)
    """What belonged to each node before the injection."""
    username: str = ""
    credential_id: str = ""
    session_objects: tuple[str, ...] = ()
    marker_start: str = ""
    marker_end: str = ""
    end_reason: str = ""
    exit_code: int | None = None
    broken: tuple[str, ...] = ()
    """What kept the agent's access from being ended: it worked when the turn began."""


def take_turn(
    taken: TakenTurn,
    cell: Cell,
    artifacts: Artifacts,
    problem: RenderedProblem,
    agent: Agent,
    audit: AuditLog,
    timeline: Timeline,
) -> None:
    """Give the agent its turn.

    Raises:
        ClusterError: sandbox, session or audit log failed; never the agent.
    """
    taken.folder.mkdir(parents=True, exist_ok=True)
    limit_s = float(problem.limits.turn_s)
    token = secrets.token_urlsafe(24)
    folder = taken.folder.parent / "session"
    session = Session.open(cell, folder, lifetime_s=limit_s + GRACE_S, healthy=taken.healthy)
    try:
        _note_identity(session, taken, timeline)
        kubectl = artifacts.binary("kubectl")
        with Sandbox.open(
            cell,
            session,
            kubectl=kubectl,
            alert=problem.alert,
            private=taken.private,
            variables=toolbox.variables(token),
        ) as sandbox:
            tools = Toolbox(cell, session, sandbox, token, problem.alert, limit_s, taken.folder)
            turn = _turn(taken.folder, sandbox, problem, tools.end)
            with tools:
                taken.marker_start = _marker(cell, audit)
                timeline.mark("turn_start")
                timeline.step("turn begins", f"audit log marked {taken.marker_start}")
                exit_ = _play(agent, turn, taken, timeline)
        taken.end_reason = exit_.reason if tools.end.reason == "exit" else str(tools.end.reason)
        taken.exit_code = exit_.code
        timeline.step("turn ends", f"{taken.end_reason}, exit code {exit_.code}")
        timeline.step("tools refuse the token", _refusal(cell, token))
    finally:
        _close(session, taken, timeline)
    taken.marker_end = _marker(cell, audit)
    timeline.step("turn closed", f"audit log marked {taken.marker_end}")


def _play(agent: Agent, turn: Turn, taken: TakenTurn, timeline: Timeline) -> Exit:
    try:
        return agent.take_turn(turn)
    except UsageError:
        # Called wrongly, it never ran: a turn that did not begin is nobody's failure.
        del timeline.times["turn_start"]
        taken.marker_start = ""
        raise


def _note_identity(session: Session, taken: TakenTurn, timeline: Timeline) -> None:
    taken.username = session.username
    taken.credential_id = session.credential_id
    taken.session_objects = tuple(session.session_objects)
    timeline.step("access opened", f"{session.username}, certificate {session.credential_id}")


def _close(session: Session, taken: TakenTurn, timeline: Timeline) -> None:
    """End the agent's access, and with it the turn: what it left on a node could write till now."""
    try:
        taken.broken = session.close(timeline.step)
    finally:
        if "turn_start" in timeline.times:
            timeline.mark("turn_end")


def _refusal(cell: Cell, token: str) -> str:
    """How a request to the tools with the turn's token ends.

    Raises:
        ClusterError: it is answered.
    """
    host, port = toolbox.ADDRESS
    url = f"http://{host}:{port}{PATH}"
    try:
        with cell.entered(), httpx.Client(trust_env=False) as client:
            answer = client.get(url, headers={"Authorization": f"Bearer {token}"})
    except httpx.HTTPError as error:
        return f"{url}: {error}"
    raise ClusterError(f"after the turn {url} is answered: {answer.status_code}")


def _turn(folder: Path, sandbox: Sandbox, problem: RenderedProblem, end: TurnEnd) -> Turn:
    return Turn(
        sandbox,
        problem.alert,
        float(problem.limits.turn_s),
        folder / "stdout.txt",
        folder / "stderr.txt",
        end,
        problem.environment(),
    )


def _marker(cell: Cell, audit: AuditLog) -> str:
    with cell.entered(), cell.api() as api:
        return audit.mark(api)
