"""Programs of the tools, run in the agent's sandbox beside the agent."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents.processes import Program
from faultyard.agents.sandbox import Sandbox
from faultyard.tools.errors import Declined
from faultyard.tools.running import Finished


@dataclass(frozen=True)
class SandboxRunner:
    """Runs programs; see `faultyard.tools.running.Runner`.

    Args:
        sandbox: where they run.
        folder: of the harness alone; their output lies there while they run.
    """

    sandbox: Sandbox
    folder: Path

    def run(self, argv: Sequence[str], *, stdin: bytes, limit_s: float) -> Finished:
        """Run a program to its end or its limit.

        Raises:
            Declined: the turn ended meanwhile.
            ClusterError: the sandbox failed.
        """
        program = Program(argv, stdin=stdin)
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            out, err = Path(name, "out"), Path(name, "err")
            ended = self.sandbox.run(program, limit_s=limit_s, stdout=out, stderr=err)
            if ended.reason == "stopped":
                raise Declined("your turn ended meanwhile")
            return Finished(out.read_bytes(), err.read_bytes(), ended.code)
