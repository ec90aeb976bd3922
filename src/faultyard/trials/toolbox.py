"""The tools of one turn: made on the agent's sandbox and session, ended with the turn."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType

from faultyard.agents.runner import SandboxRunner
from faultyard.agents.sandbox import Sandbox
from faultyard.agents.session import Session
from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.cell import Cell
from faultyard.model.diagnosis import submission
from faultyard.tools import catalogue
from faultyard.tools.call_log import CallLog
from faultyard.tools.desk import MAX_CALLS, Desk
from faultyard.tools.reporting import Reports
from faultyard.tools.server import PATH, ToolServer
from faultyard.tools.tool import Form
from faultyard.tools.turn_end import TurnEnd
from faultyard.trials import stores

GRACE_S = 5
"""How long the agent's program may go on after its word that the turn is over, in seconds."""
ADDRESS = (layout.GATEWAY, layout.TOOLS_PORT)


def variables(token: str) -> dict[str, str]:
    """What programs in the sandbox find in their environment."""
    host, port = ADDRESS
    return {"MCP_URL": f"http://{host}:{port}{PATH}", "MCP_TOKEN": token}


class Toolbox:
    """The tools' server of a turn; use it as a context around the turn.

    Args:
        cell: where it is.
        session: whose credentials the tools use.
        sandbox: where their programs run; stopped when the turn is over.
        token: that clients must send.
        alert: the text that the on-call engineer is paged with.
        limit_s: of the turn, in seconds.
        folder: gets calls.jsonl, diagnosis.json and resolution.json.
    """

    def __init__(
        self,
        cell: Cell,
        session: Session,
        sandbox: Sandbox,
        token: str,
        alert: str,
        limit_s: float,
        folder: Path,
    ) -> None:
        self.end = TurnEnd()
        self.reports = Reports(self.end)
        self._sandbox = sandbox
        self._folder = folder
        self._closing = threading.Event()
        self._api = session.api()
        self._log = CallLog(folder / "calls.jsonl")
        around = catalogue.Surroundings(
            runner=SandboxRunner(sandbox, folder),
            cluster=self._api,
            nodes=[place.name for place in cell.node_layouts],
            backends=stores.backends(),
            diagnosis=Form(submission.json_schema(), submission.read),
        )
        desk = Desk(catalogue.tools(around, self.reports), self.end, self._log)
        said = catalogue.instructions(alert, limit_s, MAX_CALLS)
        self._server = ToolServer(desk, token, said, ADDRESS, cell.entered)
        self._watcher = threading.Thread(target=self._watch, name="turn's end", daemon=True)

    def __enter__(self) -> Toolbox:
        self._watcher.start()
        try:
            self._server.thread.__enter__()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End tools and sandbox; write down what was reported.

        Raises:
            ClusterError: a call does not end, or the log has a gap.
        """
        self.end.end("exit")
        self._closing.set()
        self._sandbox.stop()
        try:
            self._server.thread.__exit__(kind, error, trace)
        finally:
            self._watcher.join()
            self._api.close()
            self.reports.write(self._folder)
            self._log.close()

    def _watch(self) -> None:
        """When a tool says that the turn is over, see to it that it is."""
        self.end.wait()
        if not self._closing.wait(GRACE_S):
            self._sandbox.stop()
