"""The tool `kubectl`: all of kubectl, in the agent's sandbox and as the agent."""

from __future__ import annotations

import shlex

from pydantic import Field

from faultyard.model.strict import Strict
from faultyard.tools import running
from faultyard.tools.arguments import Input, MaxBytes, Timeout, Word
from faultyard.tools.bounds import ANSWER_BYTES
from faultyard.tools.errors import Malformed
from faultyard.tools.running import Runner
from faultyard.tools.tool import Answer, Form, Tool

TIMEOUT_S = 60
SHELL_WORDS = frozenset(("|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>", "2>&1", "&>"))
ALL_ARGUMENTS_BYTES = 500_000
DESCRIPTION = """\
Run kubectl with your own identity, on your own machine (the bastion). No shell is around it: \
pipes, redirections and variables are not understood; send manifests as stdin with `apply -f -`. \
Paths are the bastion's: your home folder is kept between calls, /tmp is not. Commands that do not \
end by themselves (logs -f, get -w, port-forward) are ended after timeout_s and what they printed \
is returned; a port-forward listens on the bastion for so long. To send one HTTP request to a \
service, use `get --raw /api/v1/namespaces/NS/services/NAME:PORT/proxy/PATH`."""


class Arguments(Strict):
    """What `kubectl` takes."""

    args: Word | list[Word] = Field(
        description="kubectl's arguments: one string, quoted as for a shell, or a list of words. "
        "Example: get pods -n shop -o wide"
    )
    stdin: Input = Field("", description="What kubectl reads on its standard input.")
    timeout_s: Timeout = Field(TIMEOUT_S, description="Ended after so many seconds.")
    max_bytes: MaxBytes = Field(
        ANSWER_BYTES, description="The answer is cut in its middle beyond so many bytes."
    )


def tool(runner: Runner) -> Tool[Arguments]:
    """The tool, on this sandbox."""

    def act(given: Arguments) -> Answer:
        argv = ["kubectl", *words(given.args)]
        done = runner.run(argv, stdin=given.stdin.encode(), limit_s=given.timeout_s)
        return running.answer(done, given.timeout_s, given.max_bytes)

    return Tool("kubectl", DESCRIPTION, Form.of(Arguments), act)


def words(given: str | list[str]) -> list[str]:
    """The words of kubectl's command line.

    Raises:
        Malformed: there are none, quotes do not match, or it is written for a shell.
    """
    found = _split(given) if isinstance(given, str) else given
    if found[:1] == ["kubectl"]:
        found = found[1:]
    if not found:
        raise Malformed("kubectl: args is empty; for example: get pods -A")
    if sum(len(word.encode()) + 1 for word in found) > ALL_ARGUMENTS_BYTES:
        raise Malformed(f"kubectl: args has more than {ALL_ARGUMENTS_BYTES} bytes; use stdin")
    return found


def _split(text: str) -> list[str]:
    try:
        found = shlex.split(text)
    except ValueError as error:
        raise Malformed(f"kubectl: args cannot be split into words: {error}") from error
    for word in found:
        if word in SHELL_WORDS:
            raise Malformed(
                f"kubectl: there is no shell here that understands `{word}`; send input as stdin, "
                "filter with -o jsonpath or -l, or send args as a list to pass the word as it is"
            )
    return found
