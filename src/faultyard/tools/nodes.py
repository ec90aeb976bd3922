"""The tool `node_exec`: a command on a node, by SSH as the on-call user."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from faultyard.model.strict import Strict
from faultyard.tools import running
from faultyard.tools.arguments import Input, MaxBytes, Timeout, Word
from faultyard.tools.bounds import ANSWER_BYTES
from faultyard.tools.errors import Declined, Malformed
from faultyard.tools.running import Runner
from faultyard.tools.tool import Answer, Form, Tool

TIMEOUT_S = 60
SSH_FAILED = 255
DESCRIPTION = """\
Run a command on a node by SSH, as your own user there, who may use sudo without a password. The \
node's shell runs it, so pipes and redirections work. It and the sessions of others are recorded. \
What it leaves running in the background may outlive the call."""


class Arguments(Strict):
    """What `node_exec` takes."""

    node: str = Field(description="The node's name, as in `kubectl get nodes`.")
    command: Word = Field(
        min_length=1, description="For the node's shell. Example: systemctl status containerd"
    )
    stdin: Input = Field("", description="What the command reads on its standard input.")
    timeout_s: Timeout = Field(TIMEOUT_S, description="Ended after so many seconds.")
    max_bytes: MaxBytes = Field(
        ANSWER_BYTES, description="The answer is cut in its middle beyond so many bytes."
    )


def tool(runner: Runner, nodes: Sequence[str]) -> Tool[Arguments]:
    """The tool, on this sandbox, for the nodes of these names."""

    def act(given: Arguments) -> Answer:
        if given.node not in nodes:
            raise Malformed(
                f"node_exec: there is no node {given.node[:60]!r}; there are: {', '.join(nodes)}"
            )
        if not given.command.strip():
            raise Malformed("node_exec: command is empty")
        # After `--` nothing is an option of ssh, whatever it looks like.
        argv = ["ssh", "-T", "--", given.node, given.command]
        done = runner.run(argv, stdin=given.stdin.encode(), limit_s=given.timeout_s)
        if done.code == SSH_FAILED and not done.stdout:
            said = done.stderr.decode(errors="replace").strip()[-500:]
            raise Declined(f"no session on {given.node}: {said or 'ssh exited with 255'}")
        return running.answer(done, given.timeout_s, given.max_bytes)

    return Tool("node_exec", DESCRIPTION, Form.of(Arguments), act)
