"""Turns with tools on the shared cell, for the live tests about tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client

from faultyard.agents.processes import Exit, Program
from faultyard.agents.sandbox import Sandbox
from faultyard.agents.session import Session
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.trials import toolbox
from faultyard.trials.toolbox import Toolbox
from live import kube
from live.mcp_client import call, talk

POD = "workbench"


@dataclass
class Opened:
    """A turn with tools that is going on."""

    cell: Cell
    sandbox: Sandbox
    tools: Toolbox
    folder: Path

    def call(self, tool: str, /, **arguments: Any) -> tuple[bool, str]:
        """One call; whether the answer is an error, and its text."""

        async def act(client: Client) -> tuple[bool, str]:
            return await call(client, tool, **arguments)

        return talk(self.sandbox, act)

    def kubectl(self, *args: str, **arguments: Any) -> tuple[bool, str]:
        """One call of kubectl."""
        return self.call("kubectl", args=list(args), **arguments)

    def shell(self, command: str, limit_s: float = 30) -> tuple[Exit, str]:
        """What the agent's own program does, beside the tools."""
        out, err = self.folder / "out", self.folder / "err"
        program = Program(["/bin/bash", "-c", command])
        ended = self.sandbox.run(program, limit_s=limit_s, stdout=out, stderr=err)
        return ended, out.read_text() + err.read_text()

    def logged(self) -> list[dict[str, Any]]:
        """The log of calls."""
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]


def open_turn(stack: ExitStack, cell: Cell, artifacts: Artifacts, folder: Path) -> Opened:
    session = stack.enter_context(Session.open(cell, folder / "session", lifetime_s=900))
    token = "only-for-this-turn"
    sandbox = stack.enter_context(
        Sandbox.open(
            cell,
            session,
            kubectl=artifacts.binary("kubectl"),
            alert="Bookings fail.",
            variables=toolbox.variables(token),
        )
    )
    tools = Toolbox(cell, session, sandbox, token, "Bookings fail.", 900, folder)
    stack.enter_context(tools)
    return Opened(cell, sandbox, tools, folder)


@contextmanager
def with_pod(cell: Cell, artifacts: Artifacts, folder: Path) -> Iterator[Opened]:
    """A turn beside a pod to work with."""
    kube.apply(cell, kube.toolbox_pod(POD))
    kube.wait_pod_ready(cell, POD)
    with ExitStack() as stack:
        yield open_turn(stack, cell, artifacts, folder)
    kube.kubectl(cell, "delete", "pod", POD, "--grace-period=0", "--force")
